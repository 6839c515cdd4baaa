// Package e2e has only tests, which open the page in Chromium without a window, as a person opens it: from
// the file that "doorway page" writes. They need the package chromium of the system, and
//
//	cd page/e2e && GOWORK=off go test -count=1 ./...
//
// With -screenshots=DIR, they leave pictures of the page there to look at. The benchmarks measure the page.
package e2e
