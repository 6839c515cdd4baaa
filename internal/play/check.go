package play

// Check checks every schedule of an algorithm as text opens it, and calls progress about once a second. It blocks until it is over.
func Check(text string, progress func(doing string, states int)) Checked {
	return Checked{Verdicts: []Property{}, Error: "to do"}
}

// Add adds an algorithm of one's own: a constructor of a lock, func(n int) mutex.Mutex or the like, or of a protocol.
func Add(name string, constructor any) error { return nil }
