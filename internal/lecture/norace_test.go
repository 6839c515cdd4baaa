//go:build !race

package lecture_test

const slow = false
