package policies

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Traffic declares which connections must be possible, and which must not.
type Traffic struct {
	Must, MayNot []Edge
}

// Words for who sends requests and is no workload.
const (
	FromOutside   = "outside"
	FromAPIServer = "api-server"
)

// Edge are requests from one workload to another.
type Edge struct {
	From string // "namespace/name" of a workload, or one of the words
	To   string // "namespace/name" of a Service, or of a workload where there is no such Service
	Port int    // of what To names; 0: any
	// Ready is how many pods have to be ready to answer, in every state once the cluster has settled; 0: it is not asked.
	Ready int
	File  string // the policy file that has it
	Line  int
}

func (d *decoder) traffic(t *Traffic) read {
	return func(n *yaml.Node, at string) {
		*t = Traffic{}
		d.object(n, at, fields{"must": d.edges(&t.Must, true), "mayNot": d.edges(&t.MayNot, false)})
	}
}

func (d *decoder) edges(dst *[]Edge, counts bool) read {
	return d.list(func(n *yaml.Node, at string) {
		e := Edge{File: d.file, Line: n.Line}
		fs := fields{
			"from": d.text(&e.From, sender),
			"to":   d.text(&e.To, workloadName),
			"port": d.number(&e.Port, 1, 65535),
		}
		if counts {
			fs["ready"] = d.number(&e.Ready, 1, 10_000)
		}
		d.object(n, at, fs, "from", "to")
		*dst = append(*dst, e)
	})
}

// sender says what is wrong with the name of one who sends requests; "": nothing.
func sender(s string) string {
	if s == FromOutside || s == FromAPIServer {
		return ""
	}
	if wrong := workloadName(s); wrong != "" {
		return strings.TrimSuffix(wrong, ".") + ", or " + FromOutside + " or " + FromAPIServer
	}
	return ""
}
