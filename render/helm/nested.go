package helm

import (
	"github.com/kubesettle/kubesettle/render/fieldpath"
	"github.com/kubesettle/kubesettle/render/object"
)

// Nested is a map that sets one value; a list on the way is copied whole.
func Nested(p fieldpath.Path, value any, vals map[string]any) map[string]any {
	for i, s := range p {
		if s.Index < 0 {
			continue
		}
		list, _ := p[:i].Get(vals)
		c := map[string]any{"v": fieldpath.DeepCopy(list)}
		append(fieldpath.Path{fieldpath.Key("v")}, p[i:]...).Set(c, value)
		return Nested(p[:i], c["v"], vals)
	}
	var v = value
	for i := len(p) - 1; i >= 0; i-- {
		v = map[string]any{p[i].Key: v}
	}
	m, _ := v.(map[string]any)
	return m
}

// ValuesSource is one map of values and where each of them was set.
type ValuesSource struct {
	Values map[string]any
	At     func(fieldpath.Path) object.Location
}
