// Package side is one revision on its way to objects: its releases as they were discovered, gathered and rendered, in
// lists of one order, and what each step does with them. It knows nothing of the other revision of a comparison but
// the settings that it carries over.
package side
