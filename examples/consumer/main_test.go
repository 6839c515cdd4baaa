package main

func Example() {
	main()
	// Output: in store: 100 bread
}
