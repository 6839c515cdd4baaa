package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/spelling"
)

// The columns of a terminal.
const (
	lineWidth   = 116 // of a whole line
	sourceWidth = 28  // of the place in the source, at least
	nextWidth   = 40  // of the next operation of a process, at most
)

// String returns t as text: its title, the schedule, and the final state.
func (t *Trace) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.Join(svg.Wrap(t.Title, lineWidth), "\n"))
	if slices.ContainsFunc(t.Initial, func(v uint64) bool { return v != 0 }) {
		fmt.Fprintf(&b, "initially  %s\n\n", t.contents(t.Initial, len("initially  ")))
	}
	b.WriteString(t.schedule())
	fmt.Fprintf(&b, "\n%s\n\n%s", t.then(), t.ends())
	fmt.Fprintf(&b, "\nregisters  %s\n", t.contents(t.held(), len("registers  ")))
	return b.String()
}

// A moment is a step with what is shown of it.
type moment struct {
	Step
	number int           // of its atomic step, from 1
	joined bool          // the next one is part of the same atomic step
	words  string        // the operation
	turn   string        // the phase that it leads to, if it is worth a mark
	phases []phase.Phase // of all processes, after it
	after  []uint64      // what the registers hold
	inside []int         // the processes inside, if there are several and were not before
	passes []int         // at the end of a run that is not FIFO: see Trace.Overtakes
}

func (t *Trace) moments() []moment {
	ms := make([]moment, len(t.Steps))
	number, phases, held := 0, make([]phase.Phase, t.Processes), t.Initial
	for k, s := range t.Steps {
		m := moment{Step: s, after: s.Holds, joined: k+1 < len(t.Steps) && t.Steps[k+1].Atomic}
		if m.after == nil {
			m.after = held
		}
		if !s.Atomic || k == 0 {
			number++
		}
		m.number, m.words = number, t.words(s, held)
		m.turn = turn(phases[s.Process], phase.Of(s.Becomes))
		m.phases = slices.Clone(phases)
		m.phases[s.Process] = phase.Of(s.Becomes)
		if now := inside(m.phases); len(now) > max(1, len(inside(phases))) {
			m.inside = now
		}
		if k == len(t.Steps)-1 && len(t.Overtakes) == 2 {
			m.passes = t.Overtakes
		}
		ms[k], phases, held = m, m.phases, m.after
	}
	return ms
}

// words describes s, where before is what the registers held.
func (t *Trace) words(s Step, before []uint64) string {
	plain := cmp.Or(inWords[s.Do], s.Do)
	if s.Register < 0 {
		return plain
	}
	name, was := t.Registers[s.Register], before[s.Register]
	switch {
	case s.Do == "write":
		return fmt.Sprintf("%s := %d", name, s.Value)
	case s.Do == "begin to write":
		return fmt.Sprintf("begins %s := %d", name, s.Value)
	case s.Do == "read":
		return fmt.Sprintf("read %s = %d%s", name, s.Value, amid(s.Value, was))
	case s.Do == "await":
		return fmt.Sprintf("await %s: %t at %d%s", name, s.Done, s.Value, amid(s.Value, was))
	case s.Do == "compare-and-swap" && s.Done:
		return fmt.Sprintf("CAS %s from %d to %d", name, was, s.Value)
	case s.Do == "compare-and-swap":
		return fmt.Sprintf("CAS %s fails: it is %d", name, was)
	case s.Do == "swap" || s.Do == "fetch-and-add":
		return fmt.Sprintf("%s %s from %d to %d", s.Do, name, was, s.Value)
	}
	return plain + " at " + name
}

// inWords has the operations without a value that are not described by their names.
var inWords = map[string]string{
	"give up": "gives up", "start": "begins its entry", "leave": "leaves",
}

// amid marks a value that only a concurrent write of a safe register explains.
func amid(read, holds uint64) string {
	if read == holds {
		return ""
	}
	return " during a write"
}

// turn marks a change of phase. The beginning of a doorway or an exit needs no
// mark: it is the first step of a process, or the first after its critical section.
func turn(from, to phase.Phase) string {
	if from == to || to == phase.Doorway || to == phase.Exit {
		return ""
	}
	return "→ " + to.String()
}

// inside returns the processes that are inside.
func inside(phases []phase.Phase) (is []int) {
	for i, p := range phases {
		if p == phase.Inside {
			is = append(is, i)
		}
	}
	return is
}

// violation describes the violation that m completes, or returns "".
func (m moment) violation() string {
	switch {
	case m.inside != nil:
		return processes(m.inside) + " are inside at the same time"
	case m.passes != nil:
		return fmt.Sprintf("process %d enters before process %d", m.passes[0], m.passes[1])
	}
	return ""
}

// processes names one process, or several.
func processes(is []int) string {
	if len(is) == 1 {
		return fmt.Sprintf("process %d", is[0])
	}
	return "processes " + spelling.Enumerate(is)
}

// schedule returns a table of all steps.
func (t *Trace) schedule() string {
	ms := t.moments()
	rows := t.lanes(ms)
	if tableWidth(rows)+sourceWidth > lineWidth {
		rows = t.digits(ms)
	}
	var places []Place
	for _, s := range t.Steps {
		places = append(places, s.Place)
	}
	return align(t.remarks(t.sources(rows, places), ms)) + "\n" + legend(ms)
}

// sources adds a column to a table, with a place in the source in each row below
// the head.
func (t *Trace) sources(rows [][]string, places []Place) [][]string {
	l, room := t.lines(), max(sourceWidth, lineWidth-tableWidth(rows))
	rows[0] = append(rows[0], l.heading())
	for k, p := range places {
		rows[k+1] = append(rows[k+1], svg.Cut(l.where(p)+"  "+oneLine(p.Source), room))
	}
	return rows
}

// lanes returns a table of the steps in which each process has a column, with a bar
// for its phase and its steps beside it.
func (t *Trace) lanes(ms []moment) [][]string {
	head := []string{"step"}
	for i := range t.Processes {
		head = append(head, fmt.Sprintf("process %d", i))
	}
	rows := [][]string{head}
	for _, m := range ms {
		row := []string{m.count()}
		for _, p := range m.phases {
			row = append(row, bars[p])
		}
		row[1+m.Process] += " " + m.does()
		rows = append(rows, row)
	}
	return rows
}

// digits returns a table of the steps for many processes: the column of a process
// is as wide as its number, which marks its steps; the operations share one column.
func (t *Trace) digits(ms []moment) [][]string {
	rows := [][]string{{"step", "process", "operation"}}
	for _, m := range ms {
		var lanes strings.Builder
		for i, p := range m.phases {
			if i == m.Process {
				fmt.Fprintf(&lanes, "%d ", i)
			} else {
				fmt.Fprintf(&lanes, "%-*s ", len(strconv.Itoa(i)), bars[p])
			}
		}
		rows = append(rows, []string{m.count(), lanes.String(), m.does()})
	}
	return rows
}

// bars has the character of each phase.
var bars = [...]string{phase.Remainder: " ", phase.Doorway: "░", phase.Waiting: "▒", phase.Inside: "█", phase.Exit: "·", phase.Withdrawing: "-", phase.Absorbed: "~"}

// legend explains the bars that appear.
func legend(ms []moment) string {
	var is []string
	for _, p := range phases(ms)[1:] {
		is = append(is, bars[p]+" "+p.String())
	}
	if len(is) == 0 {
		return ""
	}
	return "phases  " + strings.Join(is, "   ") + "\n"
}

// phases returns the phases of the moments, the first of which is always the remainder section.
func phases(ms []moment) (all []phase.Phase) {
	for p := range phase.Phase(len(bars)) {
		if p == phase.Remainder || slices.ContainsFunc(ms, func(m moment) bool { return slices.Contains(m.phases, p) }) {
			all = append(all, p)
		}
	}
	return all
}

// count returns the number of the step where it begins, and a bracket around the
// operations of a step that has several.
func (m moment) count() string {
	switch {
	case m.Atomic && m.joined:
		return "     │"
	case m.Atomic:
		return "     └"
	case m.joined:
		return fmt.Sprintf("%4d ┌", m.number)
	}
	return fmt.Sprintf("%4d", m.number)
}

func (m moment) does() string { return strings.TrimSpace(m.words + " " + m.turn) }

// remarks adds remarks between the rows.
func (t *Trace) remarks(rows [][]string, ms []moment) [][]string {
	all := rows[:1:1]
	for k, m := range ms {
		if k == t.Loop {
			all = append(all, []string{""}, []string{"these steps can repeat forever:"}, []string{""})
		}
		all = append(all, rows[k+1])
		if v := m.violation(); v != "" {
			all = append(all, []string{"      " + v})
		}
	}
	if t.loops() {
		all = append(all, []string{""}, []string{fmt.Sprintf("and so on, from step %d", ms[t.Loop].number)})
	}
	return all
}

func (t *Trace) loops() bool { return t.Loop >= 0 && t.Loop < len(t.Steps) }

// then names the moment after the last step.
func (t *Trace) then() string {
	if t.loops() {
		return "after each round"
	}
	return "then"
}

// ends returns a table of the final states of the processes.
func (t *Trace) ends() string {
	rows := [][]string{{"  process", "phase", "next"}}
	for i, p := range t.Ends {
		rows = append(rows, []string{fmt.Sprintf("%9d", i), phase.Of(p.Phase).String(), svg.Cut(oneLine(p.Next), nextWidth)})
	}
	return align(t.sources(rows, t.Ends))
}

// held returns what the registers hold after the last step.
func (t *Trace) held() []uint64 {
	for _, s := range slices.Backward(t.Steps) {
		if s.Holds != nil {
			return s.Holds
		}
	}
	return t.Initial
}

// contents lists the registers that do not hold 0. Lines after the first are
// indented.
func (t *Trace) contents(holds []uint64, indent int) string {
	const most = 24
	var is []string
	for _, r := range t.sorted() {
		if holds[r] != 0 {
			is = append(is, fmt.Sprintf("%s = %d", t.Registers[r], holds[r]))
		}
	}
	rest := "all others hold 0"
	switch {
	case len(is) == 0:
		return "all hold 0"
	case len(is) > most:
		rest = fmt.Sprintf("%d more do not hold 0", len(is)-most)
	case len(is) == len(holds):
		rest = ""
	}
	text := strings.Join(is[:min(most, len(is))], ", ")
	if rest != "" {
		text += "; " + rest
	}
	return strings.Join(svg.Wrap(text, lineWidth-indent), "\n"+strings.Repeat(" ", indent))
}

// sorted returns all registers, those of an array side by side.
func (t *Trace) sorted() []int {
	first, all := map[string]int{}, make([]int, len(t.Registers))
	for r, name := range t.Registers {
		all[r] = r
		if base, _ := element(name); first[base] == 0 {
			first[base] = r + 1
		}
	}
	slices.SortStableFunc(all, func(a, b int) int {
		baseA, restA := element(t.Registers[a])
		baseB, restB := element(t.Registers[b])
		return cmp.Or(first[baseA]-first[baseB], len(restA)-len(restB), strings.Compare(restA, restB))
	})
	return all
}

// element splits the name of a register: want[0] into want and [0].
func element(name string) (base, rest string) {
	if at := strings.IndexByte(name, '['); at > 0 {
		return name[:at], name[at:]
	}
	return name, ""
}

// lines formats places in the source.
type lines struct {
	file  string // of all; "": of several files
	width int    // of the widest
}

func (t *Trace) lines() (l lines) {
	places := t.places()
	if len(places) > 0 && !slices.ContainsFunc(places, func(p Place) bool { return p.File != places[0].File }) {
		l.file = places[0].File
	}
	for _, p := range places {
		l.width = max(l.width, utf8.RuneCountInString(l.bare(p)))
	}
	return l
}

// places returns all places that have a file.
func (t *Trace) places() []Place {
	places := slices.Clone(t.Ends)
	for _, s := range t.Steps {
		places = append(places, s.Place)
	}
	return slices.DeleteFunc(places, func(p Place) bool { return p.File == "" })
}

func (l lines) heading() string { return cmp.Or(l.file, "source") }

// bare returns the line of p, with its file if there are several.
func (l lines) bare(p Place) string {
	switch {
	case p.File == "":
		return ""
	case l.file == "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return strconv.Itoa(p.Line)
}

// where returns bare, padded to the same width for all places.
func (l lines) where(p Place) string {
	if l.file == "" {
		return fmt.Sprintf("%-*s", l.width, l.bare(p))
	}
	return fmt.Sprintf("%*s", l.width, l.bare(p))
}

// widths returns the width of each column. A row with a single cell is no part of
// the table.
func widths(rows [][]string) []int {
	w := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			if len(row) > 1 {
				w[c] = max(w[c], utf8.RuneCountInString(cell))
			}
		}
	}
	return w
}

// tableWidth returns the width of rows, including the space after them.
func tableWidth(rows [][]string) (sum int) {
	for _, w := range widths(rows) {
		sum += w + 2
	}
	return sum
}

// align formats rows with two spaces between columns.
func align(rows [][]string) string {
	var b strings.Builder
	w := widths(rows)
	for _, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			fmt.Fprintf(&line, "%-*s", w[c]+2, cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// oneLine replaces each run of white space by one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
