//go:build !race

package catalog_test

const slow = false
