package space

// A Verdict is the answer whether a property holds.
type Verdict struct {
	Known   bool
	Against *History // nil: it holds
}

// A History is a run as text: an explore.History.
type History struct {
	Title    string
	Events   []string
	Length   int
	Loop     int
	Scenario string
}
