package main

// The program that the README begins with.
func Example() {
	main()
	// Output: map[home:1000]
}
