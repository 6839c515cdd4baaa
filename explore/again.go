package explore

import (
	"fmt"
	"path"
	"reflect"
	"runtime"
	"strings"
	"unicode"
)

// flags has the flag of doorway check for each field of a config that it has one for; "" for a field that
// changes nothing in what a check finds.
var flags = map[string]string{
	"New": "", "Name": "", "Workers": "", "Memory": "", "Progress": "", "Context": "", "Unexamined": "", "Source": "", "Only": "",
	"Processes": "n", "Nodes": "n", "Cap": "numbers", "GiveUp": "give-up", "Mixed": "mixed",
	"Rounds": "rounds", "Requests": "rounds", "Unordered": "unordered", "AnyTime": "any-time", "Early": "early",
	"Withdrawals": "withdrawals", "Crashes": "crashes", "Restarts": "restarts", "Detected": "detected",
	"Suspicions": "suspicions", "Losses": "losses", "Duplicates": "duplicates",
}

// again returns the command that repeats the check of a config; "" if a field is set that it has no flag for.
func again(config any) string {
	c := reflect.ValueOf(config)
	words := []string{"doorway check", constructor(c.FieldByName("New"))}
	for k := range c.NumField() {
		flag, ok := flags[c.Type().Field(k).Name]
		switch v := c.Field(k); {
		case v.IsZero() || flag == "" && ok:
		case !ok:
			return ""
		case v.Kind() == reflect.Bool:
			words = append(words, "-"+flag)
		default:
			list := strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ",")
			words = append(words, "-"+flag, strings.ReplaceAll(list, fmt.Sprint(Unbounded), "unbounded"))
		}
	}
	return strings.Join(words, " ")
}

// constructor returns a function as doorway check takes it: its package, a dot and its name. The name
// is left open if the function is part of another, or of a test.
func constructor(of reflect.Value) string {
	f := runtime.FuncForPC(of.Pointer())
	file, _ := f.FileLine(f.Entry())
	dir, name := path.Split(f.Name())
	pkg, name, _ := strings.Cut(name, ".")
	if strings.Contains(name, ".") || strings.HasSuffix(file, "_test.go") || !unicode.IsUpper(rune(name[0])) {
		name = "<constructor>"
	}
	return dir + strings.TrimSuffix(pkg, "_test") + "." + name
}
