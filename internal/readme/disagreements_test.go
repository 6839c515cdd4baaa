package readme

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/page"
)

// The tests that hold the rows of "Where a slide and a test disagree", in the order of docs/concordance.md: of each
// row the slide, and the tests with their files.
var disagreements = [][]string{
	{"Reiser 5.6", "internal/costs/costs_test.go:TestClaims"},
	{"Reiser 5.9, HAW 21", "internal/catalog/conformance_test.go:TestProtocols"},
	{"Reiser 5.13", "internal/lecture/quorums_test.go:TestReiser5_13PrimePowers"},
	{"Reiser 5.14", "internal/lecture/quorums_test.go:TestReiser5_14Grid"},
	{"Reiser 5.15–5.17", "internal/catalog/variants_test.go:TestPrintedExplored"},
	{"Prabhakaran 21", "internal/catalog/variants_test.go:TestPrintedExplored"},
	{
		"Reiser 5.23, 5.27 and 5.36, Prabhakaran 21", "messaging/permission/maekawa/count_test.go:TestMessagesOfConflicts",
		"messaging/permission/sanders/sanders_test.go:TestMessagesOnAverage",
		"messaging/permission/sanders/sanders_test.go:TestMessagesBeyondMost", "internal/costs/costs_test.go:TestClaims",
	},
	{"Prabhakaran 19", "internal/costs/costs_test.go:TestClaims"},
	{"Reiser 5.23, Prabhakaran 19", "messaging/permission/maekawa/count_test.go:TestSynchronisationDelay"},
	{"Prabhakaran 31", "internal/lecture/tree_test.go:TestPrabhakaran31GreedyPassesOver"},
	{"Prabhakaran 31, 34", "internal/lecture/tree_test.go:TestPrabhakaran34TreeLogN"},
	{"Reiser 5.28", "internal/lecture/sanders_test.go:TestReiser5_28SandersAsRicartAgrawala"},
	{"Reiser 5.29", "internal/lecture/sanders_test.go:TestReiser5_30SandersFourNodesMessages"},
	{"Reiser 5.41", "internal/catalog/variants_test.go:TestPrintedExplored"},
	{"Reiser 5.53", "internal/catalog/variants_test.go:TestPrintedExplored"},
	{"Prabhakaran 27", "messaging/token/singhal/singhal_test.go:TestHint"},
	{"Prabhakaran 28, 34", "internal/lecture/singhal_test.go:TestPrabhakaran34SinghalLowLoad"},
	{"Reiser 5.59", "messaging/sim/scenario_files_test.go:TestFiles"},
	{"HAW 3", "internal/catalog/systems_transcripts_test.go:TestSystemsTranscripts"},
	{"HAW 3", "messaging/election/bully/bully_test.go:TestCrashAfterAnswer"},
	{
		"HAW 6", "messaging/election/bully/bully_test.go:TestCounts",
		"internal/catalog/systems_transcripts_test.go:TestSystemsTranscripts",
	},
	{"HAW 7", "messaging/election/changroberts/changroberts_test.go:TestCounts"},
	{"HAW 8", "messaging/election/ring/ring_test.go:TestCounts"},
	{"HAW 9", "messaging/election/ring/ring_test.go:TestCounts"},
	{
		"HAW 18, Mattern (Vergleich)", "internal/costs/costs_test.go:TestClaims",
		"internal/costs/lectures_test.go:TestComparisons",
	},
	{"Mattern (Vergleich)", "internal/lecture/tree_test.go:TestMatternSnepscheutGrid"},
	{"HAW 23", "internal/lecture/order_test.go:TestHAW23OrderNeedsStampsOnAllMessages"},
	{"HAW 23", "internal/faults/faults_test.go:TestSentences"},
	{"HAW 26", "internal/faults/faults_test.go:TestSentences"},
	{"Reiser 5.38", "internal/lecture/ring_test.go:TestReiser5_38PerpetuumMobileWait"},
	{
		"Mattern (Sonderfall Ring?)", "internal/costs/costs_test.go:TestClaims",
		"messaging/sim/scenario_files_test.go:TestFiles",
	},
	{"Prabhakaran 6", "internal/lecture/delay_test.go:TestPrabhakaran6ResponseOfManyReplies"},
	{"Prabhakaran 6", "internal/costs/costs_test.go:TestTable"},
	{"Prabhakaran 7", "internal/lecture/delay_test.go:TestReiser5_4Throughput"},
	{"Prabhakaran 10", "internal/lecture/messages_test.go:TestPrabhakaran10SuppressedReplies"},
	{"Prabhakaran 11–12", "messaging/sim/scenario_files_test.go:TestFiles"},
	{"Prabhakaran 14", "internal/lecture/messages_test.go:TestPrabhakaran14DynamicRequestSet"},
	{"Prabhakaran 14", "messaging/permission/roucairolcarvalho/variants_test.go:TestNaive"},
	{"Prabhakaran 24", "internal/lecture/broadcast_test.go:TestReiser5_42SuzukiKasamiNOrNothing"},
	{"Prabhakaran 25", "messaging/sim/scenario_files_test.go:TestFiles"},
}

// Each row of the page has a test, which exists.
func TestDisagreements(t *testing.T) {
	rows := tables(t, "concordance")["Where a slide and a test disagree"]
	require.Len(t, rows, 1+len(disagreements), "a row without a test, or a test without its row")
	for k, d := range disagreements {
		assert.Equal(t, d[0], rows[1+k][0], "row %d", 1+k)
		for _, held := range d[1:] {
			file, name, _ := strings.Cut(held, ":")
			assert.Contains(t, page.Read(t, filepath.Join("../..", file)), "\nfunc "+name+"(", d[0])
		}
	}
}
