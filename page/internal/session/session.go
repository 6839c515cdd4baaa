// Package session answers the requests of a page, in JSON.
package session

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.org/doorway/internal/play"
)

// A request is one of the page.
type request struct {
	Do      string            `json:"do"`
	Text    string            `json:"text"`
	Choices string            `json:"choices"`
	N       int               `json:"n"`
	Since   int               `json:"since"`
	As      string            `json:"as"`
	Files   map[string]string `json:"files"` // the source of the locks, by path
}

// A Session answers the requests of one page. It must not be used by several goroutines at the same time.
type Session struct {
	wrong    error      // why there can be none
	play     *play.Play // nil: nothing has been opened
	progress func(doing string, states int)
}

// New returns the session of a page with what the constructor makes, unless the name is empty. Progress is called while
// a check runs.
func New(name string, constructor any, progress func(doing string, states int)) *Session {
	s := &Session{progress: progress}
	if name != "" {
		s.wrong = play.Add(name, constructor)
	}
	return s
}

// Call answers a request in JSON by an answer in JSON. It never panics.
func (s *Session) Call(text string) (answer string) {
	defer func() {
		if e := recover(); e != nil {
			answer = encoded(map[string]string{"panic": fmt.Sprint(e)})
		}
	}()
	var r request
	if err := errors.Join(s.wrong, json.Unmarshal([]byte(text), &r)); err != nil {
		panic(err)
	}
	return encoded(s.answer(r))
}

func (s *Session) answer(r request) any {
	switch r.Do {
	case "list":
		return play.List()
	case "check":
		return play.Check(r.Text, s.progress)
	case "sources":
		play.Sources(r.Files)
		return struct{}{}
	case "open":
		s.play = play.Open(r.Text)
		return s.play.View(0)
	}
	if s.play == nil {
		panic(fmt.Sprintf("page: %q before anything was opened", r.Do))
	}
	switch r.Do {
	case "choose":
		s.play.Choose(r.Choices)
	case "to":
		s.play.To(r.N)
	case "view":
	case "text":
		return map[string]string{"text": s.play.Text()}
	case "save":
		return s.save(r.As)
	default:
		panic(fmt.Sprintf("page: no request %q", r.Do))
	}
	return s.play.View(r.Since)
}

func (s *Session) save(as string) map[string]string {
	name, text, err := s.play.Save(as)
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	return map[string]string{"name": name, "text": text}
}

func encoded(answer any) string {
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(text)
}
