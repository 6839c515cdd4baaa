module example.org/doorway/cmd/doorway

go 1.25.0

require (
	example.org/doorway v0.0.0
	example.org/doorway/anylock v0.0.0
	github.com/stretchr/testify v1.12.1
	github.com/urfave/cli/v3 v3.14.0
	golang.org/x/term v0.43.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/tools v0.49.0 // indirect
)

replace example.org/doorway => ../..

replace example.org/doorway/anylock => ../../anylock
