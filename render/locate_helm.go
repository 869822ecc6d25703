package render

// inHelm is the template line of a field.
func (l *locator) inHelm(d document, p fieldPath) Location {
	return lineOf(l.job.Chart.templateFile(d.File), 1, "template")
}
