// Package typed decodes an object into upstream's type (k8s.io/api through client-go's scheme),
// strictly, as the API server does for kubectl, Helm, Argo CD and Flux, and defaults it: fields it
// would refuse, with the one that was meant, values that are not of their field's type, beside
// which all else is decoded, and older versions of a kind read as the one that is modeled. Kinds
// that upstream does not have stay untyped.
package typed
