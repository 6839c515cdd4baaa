// Package clock has what tells the order of events.
//
// [Vector] timestamps decide which event happened before which. Lamport's clock, which is
// consistent with that order, is [messaging.Clock].
package clock
