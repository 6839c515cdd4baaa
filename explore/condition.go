package explore

import (
	"regexp"
	"strings"
)

var (
	comment    = regexp.MustCompile(`//.*`)
	await      = regexp.MustCompile(`\b(?:Await|Try)\w*\(`)
	identifier = regexp.MustCompile(`\w+$`)
)

// condition returns what the call of an await in a line awaits, "numberj == 0 || !precedes(numberj, j, number, i)", of either of
// two both with "or" between them; "" if it is not found.
func condition(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	call := comment.ReplaceAllString(strings.Join(lines[line-1:], "\n"), "")
	at := await.FindStringIndex(call)
	if at == nil || strings.Contains(call[:at[0]], "\n") {
		return ""
	}
	arguments := bracketed(call[at[1]-1:])
	var all []string
	for _, literal := range strings.Split(arguments, " bool {")[1:] {
		all = append(all, returned("{"+literal))
	}
	if name := identifier.FindString(arguments); name != "" && len(all) == 0 {
		_, body, _ := strings.Cut(strings.Join(lines, "\n"), "\nfunc "+name+"(")
		_, body, _ = strings.Cut(body, " bool ")
		all = append(all, returned(body))
	}
	return strings.Join(all, " or ")
}

// returned returns what the function returns whose body a text begins with.
func returned(body string) string {
	_, value, _ := strings.Cut(bracketed(body), "return ")
	return strings.Join(strings.Fields(value), " ")
}

// bracketed returns what stands in the brackets that a text begins with; "" if it begins with none.
func bracketed(text string) string {
	open := 0
	for k, c := range text {
		switch {
		case strings.ContainsRune("([{", c):
			open++
		case strings.ContainsRune(")]}", c):
			open--
		}
		if open == 0 {
			return text[min(1, k):k]
		}
	}
	return ""
}
