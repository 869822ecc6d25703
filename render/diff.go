package render

import (
	"fmt"

	"github.com/kubesettle/kubesettle/render/diff"
	"github.com/kubesettle/kubesettle/render/object"
	"github.com/kubesettle/kubesettle/render/side"
	"github.com/kubesettle/kubesettle/render/source"
	"github.com/kubesettle/kubesettle/render/typed"
	"github.com/kubesettle/kubesettle/render/variants"
)

// Diff pairs the objects of two revisions and compares them. A release that failed on
// either side contributes no changes.
func Diff(base, head *object.Revision) (*object.Changes, error) {
	if base == nil || head == nil {
		return nil, fmt.Errorf("diff: both revisions are needed")
	}
	if base.Known == nil || base.Known != head.Known {
		knowSecrets(base, head) // rendered one by one
	}
	b, err := listed(base)
	if err != nil {
		return nil, err
	}
	h, err := listed(head)
	if err != nil {
		return nil, err
	}
	ch := &object.Changes{Base: base, Head: head}
	lost := func(r *object.Rendered) map[string]bool { return side.MadeOf(r).LostFiles }
	ch.Changes = variants.WithoutRepeats(diff.Releases(base.Releases, head.Releases, lost), head)
	locateWorkloads(ch)
	source.Edits(ch, b, h)
	return ch, nil
}

// locateWorkloads finds the lines of changes to workloads, which every result reports, one after the other: a chart
// gets a number of renders for it, so that the order counts.
func locateWorkloads(c *object.Changes) {
	for i := range c.Changes {
		one := &c.Changes[i]
		if one.Base == nil || one.Head == nil || typed.PodTemplate(one.Head.Typed) == nil {
			continue
		}
		for _, f := range one.Fields {
			f.Where()
		}
	}
}
