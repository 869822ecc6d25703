package helm

// helmNumbers is a copy of values with float64 in the place of integers, which Helm's own reader makes of them:
// templates print and compare them differently. The values themselves may be those of both sides.
func helmNumbers(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = helmNumbers(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = helmNumbers(e)
		}
		return out
	case int64:
		return float64(x)
	}
	return v
}

// MergeValues lays b over a, map by map.
func MergeValues(a, b map[string]any) map[string]any {
	out := make(map[string]any, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		if bm, ok := v.(map[string]any); ok {
			if am, ok := out[k].(map[string]any); ok {
				out[k] = MergeValues(am, bm)
				continue
			}
		}
		out[k] = v
	}
	return out
}
