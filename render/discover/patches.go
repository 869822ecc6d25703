package discover

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/kubesettle/kubesettle/render/document"
	"github.com/kubesettle/kubesettle/render/kustomize"
	"github.com/kubesettle/kubesettle/render/source"
)

// patchOnly says why nothing applies a file alone, or "": each of its documents is a patch. One is, by its directive;
// or the API server refuses to create it as it stands, and its folder is one of patches, see [patchFolders], on this
// side or was on the other. A file that the other side has is a patch there by what is there alone: neither a directive
// nor a list takes anything out of the check.
func (d *Found) patchOnly(f string) string {
	t := d.src.Twin
	if d.patchDirs == nil {
		d.patchDirs = patchFolders(d.src)
		if t != nil {
			d.patchDirsThere = patchFolders(t)
		}
	}
	there := among(d.patchDirsThere, path.Dir(f))
	why, all := patchesOf(d.src, f, cmp.Or(among(d.patchDirs, path.Dir(f)), there))
	if all && t != nil && t.HasFile(f) {
		_, all = patchesOf(t, f, there)
	}
	if !all {
		return ""
	}
	return why
}

// patchesOf says why all documents of a file are patches.
func patchesOf(s *source.Source, f, folder string) (why string, all bool) {
	b, err := s.Read(f)
	if err != nil || folder == "" && !strings.Contains(string(b), "$patch") {
		return "", false
	}
	docs, fail := document.Decode(f, b)
	if fail != nil || len(docs) == 0 {
		return "", false
	}
	why = "a patch: $patch is a directive of strategic merge, and no field"
	for _, doc := range docs {
		if _, is := doc.Content["$patch"]; is {
			continue
		}
		lacks := lackOf(doc.Content)
		if folder == "" || lacks == "" {
			return "", false
		}
		why = "a patch, as it has no " + lacks + "; " + folder
	}
	return why, true
}

// among is why the files of a folder are taken for patches, or "".
func among(dirs map[string]string, dir string) string {
	if why := dirs[dir]; why != "" {
		return why
	}
	for up := dir; ; up = path.Dir(up) {
		if why := dirs[up+"/"]; why != "" || up == "." {
			return why
		}
	}
}

// patchFolders are the folders from which a kustomization takes a file as a patch, with the reason that the others are
// none of its files; and those below a kustomization that cannot be read, with a slash behind: it may name any file
// there. One elsewhere may not, by Kustomize's own rule.
func patchFolders(s *source.Source) map[string]string {
	out := map[string]string{}
	for _, f := range s.Files {
		dir := path.Dir(f)
		if s.Links[f] || !source.IsKustomizationName(f) || kustomize.FileOf(s, dir) != f {
			continue
		}
		k, fail := kustomize.Read(s, f)
		if fail != nil {
			out[dir+"/"] = f + " cannot be read"
			continue
		}
		for _, ref := range k.PatchFiles() {
			if p, in := source.Inside(dir, ref); in && s.HasFile(p) && out[path.Dir(p)] == "" {
				out[path.Dir(p)] = f + NotListed
			}
		}
	}
	return out
}

// demanded are fields without which the API server creates no object of a kind; of those behind a bar one is enough.
var demanded = map[string][]string{
	"apps/Deployment":                       {"spec.selector", "spec.template.spec.containers"},
	"apps/StatefulSet":                      {"spec.selector", "spec.template.spec.containers"},
	"apps/DaemonSet":                        {"spec.selector", "spec.template.spec.containers"},
	"apps/ReplicaSet":                       {"spec.selector", "spec.template.spec.containers"},
	"batch/Job":                             {"spec.template.spec.containers"},
	"batch/CronJob":                         {"spec.schedule", "spec.jobTemplate.spec.template.spec.containers"},
	"/Pod":                                  {"spec.containers"},
	"/Service":                              {"spec.ports|spec.externalName|spec.clusterIP"},
	"/PersistentVolume":                     {"spec.accessModes", "spec.capacity"},
	"/PersistentVolumeClaim":                {"spec.accessModes", "spec.resources"},
	"autoscaling/HorizontalPodAutoscaler":   {"spec.scaleTargetRef", "spec.maxReplicas"},
	"networking.k8s.io/Ingress":             {"spec.rules|spec.defaultBackend"},
	"rbac.authorization.k8s.io/RoleBinding": {"roleRef"},
	"rbac.authorization.k8s.io/ClusterRoleBinding": {"roleRef"},
	"storage.k8s.io/StorageClass":                  {"provisioner"},
}

// lackOf is a field that an object would have to have, or "".
func lackOf(content map[string]any) string {
	gvk := document.GVK(content)
	for _, want := range demanded[gvk.Group+"/"+gvk.Kind] {
		ways := strings.Split(want, "|")
		if !slices.ContainsFunc(ways, func(field string) bool { return at(content, field) != nil }) {
			return ways[0]
		}
		if list, is := at(content, want).([]any); is && strings.HasSuffix(want, ".containers") {
			for _, c := range list {
				if c, is := c.(map[string]any); !is || c["image"] == nil {
					return "image in " + want
				}
			}
		}
	}
	return ""
}

// at is the value of a field, or nil.
func at(content map[string]any, field string) any {
	var v any = content
	for _, key := range strings.Split(field, ".") {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}
