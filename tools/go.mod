module github.com/kubesettle/kubesettle/tools

go 1.26.0

require (
	github.com/yuin/goldmark v1.7.13
	go.yaml.in/yaml/v3 v3.0.4
)
