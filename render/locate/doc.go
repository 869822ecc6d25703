// Package locate finds the file and line that set a field of a rendered object: by the nodes of plain files, the
// patches and generators of kustomizations, and for charts by what the templates say and by counterfactual renders, in
// which one value is another one. What cannot be told is the nearest enclosing place that is known; a location says on
// which rung it stands.
package locate
