module example.org/consumer

go 1.25.0

require example.org/doorway v0.0.0

replace example.org/doorway => ../..
