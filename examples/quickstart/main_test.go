package main

// The program of which the README shows the beginning.
func Example() {
	main()
	// Output: 1000
}
