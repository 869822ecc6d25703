// Package document reads files of YAML and JSON into documents that know where they stand:
// a stream is cut where kubectl cuts it, decoded as the API server's JSON has it, with limits
// on size, depth and aliases. It has the locations and failures that the rest of render speaks
// of, the YAML nodes behind them, and the values that differ at every render. It uses
// go.yaml.in/yaml (v2 to decode, as sigs.k8s.io/yaml does; v3 for nodes) and knows no kind.
package document
