// Package hook separates the library from the hardware: a checker can take the place of the registers. Only package register
// imports it for that.
//
//   - A [Host] receives every operation of an entry or exit protocol ([Attach]).
//     Package explore implements it.
//   - An interceptor is called before every access to a register, to count or to
//     delay it ([Intercept]).
//
// Both exist only in builds with the tag doorway_explore, interceptors also under the race detector. In any other build
// the functions do nothing and are inlined away. In all builds goroutines wait and are woken by sync and sync/atomic,
// and module anylock runs that code in every interleaving.
package hook
