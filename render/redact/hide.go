package redact

import (
	"strings"
)

// Hide masks texts of Secrets in a text.
func Hide(text string, hidden []string) string {
	for _, h := range hidden {
		text = strings.ReplaceAll(text, h, Mask)
	}
	return text
}
