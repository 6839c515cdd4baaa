module example.org/doorway/anylock

go 1.25.0

require (
	example.org/doorway v0.0.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.22.0
	golang.org/x/tools v0.49.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace example.org/doorway => ..
