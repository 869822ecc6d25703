package fieldpath

// Less reports whether a path comes first, step by step, indexes by number.
func Less(a, b string) bool {
	x, y := Parse(a), Parse(b)
	for i := 0; i < len(x) && i < len(y); i++ {
		switch {
		case x[i] == y[i]:
		case x[i].Index >= 0 && y[i].Index >= 0:
			return x[i].Index < y[i].Index
		default:
			return x[i].Key < y[i].Key
		}
	}
	return len(x) < len(y)
}
