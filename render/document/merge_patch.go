package document

// MergePatch applies a JSON merge patch.
func MergePatch(to, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	m, ok := to.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	for k, v := range p {
		if v == nil {
			delete(m, k)
			continue
		}
		m[k] = MergePatch(m[k], v)
	}
	return m
}
