package document

// Shorten cuts a long message in its middle, on rune boundaries.
func Shorten(text string, limit int) string {
	r := []rune(text)
	if len(r) <= limit {
		return text
	}
	return string(r[:limit/3]) + " … " + string(r[len(r)-2*limit/3:])
}
