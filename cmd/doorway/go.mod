module example.org/doorway/cmd/doorway

go 1.25.0

require (
	example.org/doorway v0.0.0
	github.com/stretchr/testify v1.12.1
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.22.0 // indirect
)

replace example.org/doorway => ../..
