package session

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/play"
)

// asked asks a session, and returns the answer as a map.
func asked(t *testing.T, s *Session, request string) (answer map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(s.Call(request)), &answer), request)
	return answer
}

// Each request has the answer that the page expects.
func TestRequests(t *testing.T) {
	s := New("", nil, nil)
	assert.NotEmpty(t, asked(t, s, `{"do": "list"}`)["algorithms"])
	assert.NotEmpty(t, asked(t, s, `{"do": "list"}`)["first"])
	assert.Empty(t, asked(t, s, `{"do": "sources", "files": {}}`))
	view := asked(t, s, `{"do": "open", "text": "nodes 3; algorithm ricartagrawala"}`)
	require.Equal(t, "ricartagrawala", view["run"].(map[string]any)["algorithm"])
	do, _ := view["choices"].([]any)[0].(map[string]any)["do"].(string)
	choose, err := json.Marshal(request{Do: "choose", Choices: do, Since: 1})
	require.NoError(t, err)
	assert.InDelta(t, 1, asked(t, s, string(choose))["made"], 0)
	assert.InDelta(t, 1, asked(t, s, `{"do": "to", "n": 0}`)["kept"], 0)
	assert.InDelta(t, 0, asked(t, s, `{"do": "view"}`)["made"], 0)
	assert.Contains(t, asked(t, s, `{"do": "text"}`)["text"], "algorithm ricartagrawala")
	saved := asked(t, s, `{"do": "save", "as": "scenario"}`)
	assert.Contains(t, saved["name"], ".txt")
	assert.Contains(t, saved["text"], "algorithm ricartagrawala")
	assert.NotEmpty(t, asked(t, s, `{"do": "save", "as": "nothing"}`)["error"])
}

// What cannot be answered is said, and the session goes on.
func TestPanics(t *testing.T) {
	s := New("", nil, nil)
	for request, says := range map[string]string{
		"":                        "JSON",
		`{"do": 1}`:               "json",
		`{"do": "choose"}`:        `"choose" before anything was opened`,
		`{"do": "no such thing"}`: `"no such thing" before anything was opened`,
	} {
		assert.Contains(t, asked(t, s, request)["panic"], says, request)
	}
	asked(t, s, `{"do": "open"}`)
	assert.Contains(t, asked(t, s, `{"do": "no such thing"}`)["panic"], `no request "no such thing"`)
	assert.NotNil(t, asked(t, s, `{"do": "view"}`)["run"])
}

// No slice is null in JSON, for the page goes through all of them.
func TestNoNulls(t *testing.T) {
	for _, request := range []string{`{"do": "list"}`, `{"do": "open", "text": "nodes 3; algorithm raymond"}`, `{"do": "open", "text": "lock peterson"}`} {
		assert.NotContains(t, New("", nil, nil).Call(request), ":null", request)
	}
	assert.NotContains(t, encoded(play.Check("nodes 2; algorithm ricartagrawala", func(string, int) {})), ":null")
}
