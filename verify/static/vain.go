package static

import (
	"fmt"
	"slices"

	"github.com/kubesettle/kubesettle/policies/rules"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/verify/finding"
)

var vain = Analyzer{Name: "in-vain", Rule: rules.NoEffect, Run: inVain, Compares: true, Whole: true,
	Doc: "a value that nothing in the chart reads, where another may be meant, and an entry of a kustomization that finds " +
		"nothing"}

// inVain says which values the change gives a chart that reads others, and which entries a kustomization that has
// nothing for them.
func inVain(p *Pass) []Remark {
	var out []Remark
	for _, h := range p.ch.Head.Releases {
		for _, n := range h.Notes {
			if n.Kind != object.UnreadValue && n.Kind != object.EntryInVain || slices.ContainsFunc(out, func(r Remark) bool {
				return r.at.File == n.File && r.at.StartLine == n.Line
			}) {
				continue
			}
			at := object.LineOf(n.File, n.Line, n.Args[0])
			r := Remark{release: h.ID, status: finding.New, at: at, shape: n.Args[0] + n.Args[1], Object: &object.Object{
				ID: object.ID{Kind: string(h.Kind), Namespace: h.Namespace, Name: h.ID}, Release: h.ID, Source: at}}
			if n.Kind == object.UnreadValue {
				r.text = fmt.Sprintf("nothing in the chart reads %s, which has no effect: %s may be meant", n.Args[0], n.Args[1])
				r.remedies = byHand("set " + n.Args[1] + " instead")
			} else if r.text = fmt.Sprintf("%s, so that this %s has no effect", n.Args[1], n.Args[0]); n.Args[2] != "" {
				r.text += ": " + n.Args[2] + " may be meant"
				r.remedies = byHand("name " + n.Args[2] + " instead")
			}
			out = append(out, r)
		}
	}
	return out
}
