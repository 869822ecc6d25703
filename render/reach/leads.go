package reach

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/release"
	"github.com/kubesettle/kubesettle/render/side"
)

// Requests go from a route to a Gateway and to a Service, from a setting to a Service: each names the next one, in
// whatever release that is, or selects its pods. Where one end differs, the release of the other end is rendered.

var (
	// routingKinds name where requests go; steeredKinds are named by them.
	routingKinds = []string{"Ingress", "HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute", "VirtualService",
		"IngressRoute", "IngressRouteTCP", "IngressRouteUDP", "Route", "ServiceMonitor", "PodMonitor",
		"ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "APIService"}
	steeredKinds = []string{"Service", "Gateway", "DestinationRule"}
	// hostWord finds what may be the name of an object in a text.
	hostWord = regexp.MustCompile(`[a-z0-9](?:[a-z0-9-]*[a-z0-9])?`)
)

// leading is an object at one end of requests that differs between the sides.
type leading struct {
	name    []byte          // by which others name it; nil: they do not
	names   map[string]bool // that it may name itself
	selects [][]byte        // values of the labels by which it comes to have pods; nil: of those that it had
	gateway bool            // it may be named from any namespace
	in      map[string]bool // namespaces of its release
}

// lead enters a document of a release that differs from the other side's, if it is at an end of requests.
func (e *effects) lead(d, other document.Document, j *release.Recipe) {
	key := keyOf(d)
	steered, runs := slices.Contains(steeredKinds, key[1]), slices.Contains(runningKinds, key[1])
	if j == nil || !steered && !runs && !slices.Contains(routingKinds, key[1]) ||
		reflect.DeepEqual(rulesOf(d), rulesOf(other)) {
		return
	}
	x := leading{gateway: key[1] == "Gateway", names: wordsOf(rulesOf(d)), in: e.namespaces(j)}
	if steered {
		x.name = []byte(key[3])
	}
	if old := selectorOf(other); key[1] == "Service" && old != nil && !reflect.DeepEqual(selectorOf(d), old) {
		for _, v := range selectorOf(d) {
			x.selects = append(x.selects, []byte(fmt.Sprint(v)))
		}
	}
	if runs { // the object that it named before says nothing
		for w := range wordsOf(rulesOf(other)) {
			delete(x.names, w)
		}
	}
	e.led = append(e.led, x)
}

// noReplicas finds a workload, or the values of one, without pods.
var noReplicas = regexp.MustCompile(`(?i)replica(?:s|count)["']?: *0\b`)

// callers has the releases rendered that may name a Service of a namespace in which a workload comes to have no pods:
// their requests end there.
func (e *effects) callers(s *side.Side) {
	for i := range s.Releases {
		in := map[string]bool{}
		if s.Recipes[i] != nil {
			in = e.namespaces(s.Recipes[i])
		}
		if !meet(e.zeroed, in) {
			continue
		}
		names := map[string]bool{}
		for _, d := range s.Outputs[i].Docs {
			if key := keyOf(d); key[1] == "Service" {
				names[key[3]] = true
			}
		}
		for _, b := range s.Recipes[i].Files {
			if s.Outputs[i].Untouched && hasKind(b, []string{"Service"}) {
				for _, m := range nameText.FindAllSubmatch(b, -1) {
					names[string(m[1])] = true
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			e.led = append(e.led, leading{name: []byte(name), in: in})
		}
	}
}

// rulesOf are the fields of an object that say where requests go.
func rulesOf(d document.Document) [2]any { return [2]any{d.Content["spec"], d.Content["webhooks"]} }

// selectorOf are the labels that a Service selects pods by.
func selectorOf(d document.Document) map[string]any {
	spec, _ := d.Content["spec"].(map[string]any)
	out, _ := spec["selector"].(map[string]any)
	return out
}

// wordsOf are the words of an object's values that may be names of others: keys, such as the http of a route, are none.
func wordsOf(rules [2]any) map[string]bool {
	out := map[string]bool{}
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			for _, e := range x {
				walk(e)
			}
		case []any:
			for _, e := range x {
				walk(e)
			}
		case string:
			for _, w := range hostWord.FindAllString(x, -1) {
				out[w] = true
			}
		}
	}
	walk(rules[0])
	walk(rules[1])
	return out
}

// leads reports whether a release has the other end of requests of which one end differs.
func (e *effects) leads(j *release.Recipe) bool {
	if len(e.led) == 0 {
		return false
	}
	settings, err := json.Marshal(&j.Release)
	near := e.namespaces(j)
	return err != nil || slices.ContainsFunc(e.led, func(x leading) bool {
		names := func(b []byte) bool {
			return x.name != nil && hasWord(b, x.name) && (!x.gateway || bytes.Contains(b, []byte("parentRefs")))
		}
		there := x.gateway || meet(x.in, near)
		return there && (names(settings) || anyFile(j, names)) || anyFile(j, x.meets) || meet(x.in, near) && x.picks(j)
	})
}

// picks reports whether pods of a release may have the labels that a Service comes to select.
func (x leading) picks(j *release.Recipe) bool {
	return len(x.selects) > 0 && anyFile(j, func(b []byte) bool { return hasKind(b, runningKinds) }) &&
		!slices.ContainsFunc(x.selects, func(v []byte) bool {
			return !anyFile(j, func(b []byte) bool { return hasWord(b, v) })
		})
}

// meets reports whether a text may have an object that the one which differs names. An item of a list, such as a port,
// is no object.
func (x leading) meets(b []byte) bool {
	return len(x.names) > 0 && hasKind(b, steeredKinds) &&
		slices.ContainsFunc(nameText.FindAllSubmatchIndex(b, -1), func(at []int) bool {
			before := bytes.TrimRight(b[:at[0]], " \t\"'")
			return x.names[string(b[at[2]:at[3]])] && !bytes.HasSuffix(before, []byte("-"))
		})
}
