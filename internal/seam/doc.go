// Package seam separates the library from the hardware: a checker can take the place of the registers. Only package register
// imports it for that.
//
//   - A [Host] receives every operation of an entry or exit protocol ([Attach]).
//     Package explore implements it.
//   - An interceptor is called before every access to a register, to count or to
//     delay it ([Intercept]).
//
// Both exist only in builds with the tag doorway_explore, interceptors also
// under the race detector. In any other build the functions do nothing and are inlined away. What goroutines wait and are woken
// by is that of sync and sync/atomic in all builds: module anylock runs it in every interleaving, as it is.
package seam
