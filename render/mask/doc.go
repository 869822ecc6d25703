// Package mask says which fields of an object may be shown: what a rule reads and what is safe by its form. The rest
// is masked. What a single text may hold is render/redact's.
package mask
