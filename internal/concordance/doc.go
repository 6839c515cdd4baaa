// Package concordance has no code, only tests that compare three pages with the
// repository: docs/concordance.md, docs/bibliography.md and docs/glossary.md.
package concordance
