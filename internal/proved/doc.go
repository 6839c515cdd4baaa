// Package proved has only tests: they compute what holds of each message-passing algorithm of the
// catalog in every schedule of a small instance, and what that takes.
package proved
