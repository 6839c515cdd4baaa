module example.org/doorway/cmd/doorway

go 1.25.0

require example.org/doorway v0.0.0

require golang.org/x/sync v0.22.0 // indirect

replace example.org/doorway => ../..
