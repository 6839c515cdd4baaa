package lecture

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// Reiser returns the 13 sets by which Reiser 2002, slide 5.18, shows how Maekawa's
// algorithm goes: a projective plane of order 3, as quorum.Plane(13) is, but with the
// numbering of the lecture. Only that nodes are counted from 0 here, and from 1 there.
func Reiser() quorum.System {
	s, err := quorum.Sets([][]messaging.ID{
		{0, 1, 2, 3},
		{1, 4, 7, 10},
		{2, 5, 7, 12},
		{3, 5, 9, 10},
		{0, 4, 5, 6},
		{1, 5, 8, 11},
		{1, 6, 9, 12},
		{0, 7, 8, 9},
		{2, 6, 8, 10},
		{2, 4, 9, 11},
		{0, 10, 11, 12},
		{3, 6, 7, 11},
		{3, 4, 8, 12},
	})
	if err != nil {
		panic(err)
	}
	return s
}
