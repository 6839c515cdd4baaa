module example.org/doorway

go 1.25.0
