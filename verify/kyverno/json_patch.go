package kyverno

import (
	"encoding/json"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"
)

// patchedBy is an object with the patches of RFC 6902 that a text has. A path that is missing is made where something
// is added, and is no error where something is removed; upstream sets these options of a later version of the code.
func patchedBy(object []byte, text string) ([]byte, string) {
	raw, err := yaml.YAMLToJSON([]byte(text))
	var operations []map[string]any
	if err != nil || json.Unmarshal(raw, &operations) != nil {
		return nil, "its patches cannot be read"
	}
	for _, op := range operations {
		kind, _ := op["op"].(string)
		path, _ := op["path"].(string)
		var content map[string]any
		if err := json.Unmarshal(object, &content); err != nil {
			return nil, err.Error()
		}
		switch there := reach(content, path, kind == "add"); {
		case kind == "remove" && !there:
			continue
		case !there && (kind == "add" || kind == "replace"):
			return nil, "its patch changes a path that is not there: " + path
		}
		if object, err = json.Marshal(content); err != nil {
			return nil, err.Error()
		}
		one, err := json.Marshal([]any{op})
		if err != nil {
			return nil, err.Error()
		}
		patch, err := jsonpatch.DecodePatch(one)
		if err != nil {
			return nil, "its patches cannot be read"
		}
		if object, err = patch.Apply(object); err != nil {
			return nil, "its patch cannot be applied: " + err.Error()
		}
	}
	return object, ""
}

// reach reports whether a path leads to something; with add, whether something can be put there: it then makes the maps
// and lists above it that are missing.
func reach(content map[string]any, path string, add bool) bool {
	keys := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, key := range keys {
		keys[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
	}
	var at any = content
	for i, key := range keys {
		last := i == len(keys)-1
		switch t := at.(type) {
		case map[string]any:
			next, there := t[key]
			if last {
				return there || add
			}
			if next == nil {
				if !add {
					return false
				}
				if next = any(map[string]any{}); keys[i+1] == "-" || keys[i+1] == "0" {
					next = []any{}
				}
				t[key] = next
			}
			at = next
		case []any:
			n, err := strconv.Atoi(key)
			if last {
				return key == "-" && add || err == nil && n >= 0 && (n < len(t) || add && n == len(t))
			}
			if err != nil || n < 0 || n >= len(t) {
				return false
			}
			at = t[n]
		default:
			return false
		}
	}
	return true
}
