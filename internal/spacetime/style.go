package spacetime

import (
	"slices"

	"example.org/doorway/internal/svg"
)

// The measures of a picture, in pixels.
const (
	mostWidth  = 1200
	leastWidth = 460
	margin     = 24
	small      = 11  // the size of the font of labels
	char       = 6.8 // at most, a character of them in any monospaced font
	large      = 7.4 // a character of 12 pixels
	endWidth   = 82  // for how a node ends
	head       = 16  // of the lines, before the first event
	tail       = 46  // after the last
	lineDown   = 16  // from a line of text to the next
	dot        = 3   // the radius of a mark
	thin       = 8   // the height of the bar of a node that waits
	thick      = 13  // of one that is inside
	frame      = 11  // half the height of the frame of one that is inside with another
)

// pitch returns how far apart n lines are.
func pitch(n int) int {
	for _, of := range []struct{ most, apart int }{{4, 78}, {6, 64}, {10, 52}, {14, 42}, {20, 34}} {
		if n <= of.most {
			return of.apart
		}
	}
	return 26
}

// The colors of bars and of the token.
const (
	waits   = "#FFE39A"
	enters  = "#E8833A"
	gone    = "#D9CBE3"
	carried = "#C2177A"
)

// hues are the colors of the kinds of messages, light and dark, in the order in which the
// kinds occur. Further kinds are gray.
var hues = [...][2]string{
	{"#2568A8", "#6CB2EB"},
	{"#26764A", "#5FC98B"},
	{"#9A5A0C", "#E0A152"},
	{"#7D4896", "#C79BE0"},
	{"#14757C", "#5CC8CF"},
	{"#66691A", "#C2C558"},
	{"#7A5240", "#D0A590"},
}

var darkStyle = svg.Dark(slices.Concat(hues[:], [][2]string{
	{waits, "#5C4A12"}, {enters, "#C8682A"}, {gone, "#4A3557"}, {carried, "#FF6BB8"},
})...)

// hue returns the color of a kind of messages.
func (d *diagram) hue(kind string) string {
	switch k := slices.Index(d.kinds, kind); {
	case slices.Contains(d.token, kind):
		return carried
	case k < 0 || k >= len(hues):
		return svg.Faint
	default:
		return hues[k][0]
	}
}
