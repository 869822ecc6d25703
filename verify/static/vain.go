package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

var vain = Analyzer{Name: "unread-value", Rule: rules.NoEffect, Run: inVain, Compares: true, Whole: true,
	Doc: "a value that nothing in the chart reads, where another may be meant"}

// inVain says which values the change gives a chart that reads others.
func inVain(p *Pass) []Remark {
	var out []Remark
	for _, h := range p.ch.Head.Releases {
		for _, n := range h.Notes {
			if n.Kind != object.UnreadValue || slices.ContainsFunc(out, func(r Remark) bool {
				return r.at.File == n.File && r.at.StartLine == n.Line
			}) {
				continue
			}
			at := object.LineOf(n.File, n.Line, n.Args[0])
			id := object.ID{Kind: "Chart", Namespace: h.Namespace, Name: h.ID}
			out = append(out, Remark{
				Object: &object.Object{ID: id, Release: h.ID, Source: at}, release: h.ID, status: finding.New, at: at,
				shape: n.Args[0], remedies: byHand("set " + n.Args[1] + " instead"),
				text: fmt.Sprintf("nothing in the chart reads %s, which has no effect: %s may be meant", n.Args[0],
					n.Args[1])})
		}
	}
	return out
}
