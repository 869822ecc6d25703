package render

// inKustomize is the base file of an object.
func (l *locator) inKustomize(d document, p fieldPath) Location {
	return lineOf(d.File, 1, "node")
}
