package static

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// variable is what envsubst, OpenShift's templates and many an operator fill in, and marked is what other
// templates, sed and people do: marks that no field of the API has a meaning for.
var (
	variable = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
	marked   = regexp.MustCompile(`\$\([A-Za-z_][A-Za-z0-9_]*\)|\$[A-Z_][A-Z0-9_]*\b|\{\{[^{}]*\}\}|<[A-Za-z][A-Za-z0-9 _.-]*>|%[A-Za-z_]+%|@[A-Za-z_]+@|__[A-Za-z0-9_]+__`)
)

// shouted is a word of a name that only stands for one: in capitals with underscores, which no
// name of an object has, or in capitals and a word for what goes there (HOSTNAME, NODE), which sed or a person puts in.
var shouted = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b|\b([A-Z]*(NAME|NAMESPACE|HOST|NODE)|PLACEHOLDER|REPLACE_?ME|CHANGE_?ME|CLUSTER|TENANT|PROJECT|USER|ENVIRONMENT|DOMAIN|REGION|VERSION|SUFFIX|PREFIX|UUID)\b`)

// filledIn reports whether an error is about a placeholder: a value with marks, or a name with a
// word in capitals that is none of a cluster's. A mark that is never closed is filled in by nobody.
func filledIn(e *field.Error) bool {
	value := fmt.Sprint(e.BadValue)
	if reflect.ValueOf(e.BadValue).Kind() != reflect.String { // what is printed of a struct has marks of its own
		return variable.MatchString(value)
	}
	name := strings.Contains(e.Detail, "RFC 1123") || strings.Contains(e.Detail, "RFC 1035")
	unclosed := strings.Contains(value, "${")
	return variable.MatchString(value) || marked.MatchString(value) || name && !unclosed && shouted.MatchString(value)
}
