package deploys

import (
	"reflect"
	"testing"
)

// What a plugin generates is read whole or not at all: a word that may change it is named.
func TestReadGenerate(t *testing.T) {
	vars := map[string]string{"ARGOCD_APP_NAME": "web", "ARGOCD_APP_NAMESPACE": "shop",
		"ARGOCD_ENV_HELM_ARGS": "-f prod.yaml --set a=1", "ARGOCD_ENV_HELM_VALUES": "size: 3"}
	open := []string{"ARGOCD_ENV_SECRET"}
	helm := Deploy{Tool: Helm, Path: ".", Name: "web"}
	shop := helm
	shop.Namespace = "shop"
	args := shop
	args.Values, args.Settings = []string{"prod.yaml"}, []Setting{{"set", "a", "1"}}
	for _, c := range []struct {
		script string
		want   Generate
		unread string
	}{
		{script: `helm template $ARGOCD_APP_NAME .`, want: Generate{Deploy: helm}},
		{script: "helm dependency build && helm template $ARGOCD_APP_NAME -n $ARGOCD_APP_NAMESPACE " +
			"${ARGOCD_ENV_HELM_ARGS} . | argocd-vault-plugin generate -", want: Generate{Deploy: args, Fills: true}},
		{script: `helm template $ARGOCD_APP_NAME -n shop -f <(echo "$ARGOCD_ENV_HELM_VALUES") ${ARGOCD_ENV_NONE} .`,
			want: Generate{Deploy: shop, Inline: "size: 3"}},
		{script: `echo "$ARGOCD_ENV_HELM_VALUES" | helm template web . -n shop -f - --include-crds`,
			want: Generate{Deploy: shop, Inline: "size: 3", CRDs: true}},
		{script: `kustomize build --enable-helm . | avp generate -`,
			want: Generate{Deploy: Deploy{Tool: Kustomize, Path: "."}, Fills: true}},
		{script: `argocd-vault-plugin generate ./`,
			want: Generate{Deploy: Deploy{Tool: Manifests, Path: ".", Recursive: true}, Fills: true}},
		{script: `cat *.yaml`, want: Generate{Deploy: Deploy{Tool: Manifests, Path: ".", Values: []string{"*.yaml"}}}},

		{script: `helm template web . --post-renderer ./x`, unread: "helm --post-renderer"},
		{script: `helm template web . --show-only templates/a.yaml`, unread: "helm --show-only"},
		{script: `helm template web . | sed s/a/b/`, unread: "sed"},
		{script: `helm template web . | envsubst`, unread: "envsubst"},
		{script: `helm template web . > out.yaml`, unread: ">out.yaml"},
		{script: `helm template web . -f $FILE`, unread: "${FILE}"},
		{script: `helm template web . --set a=$ARGOCD_ENV_SECRET`, unread: "${ARGOCD_ENV_SECRET}"},
		{script: `helm template web . -f <(echo $ARGOCD_ENV_HELM_VALUES)`, unread: "<(echo $ARGOCD_ENV_HELM_VALUES)"},
		{script: `helm template web . -f <(echo "$ARGOCD_ENV_HELM_VALUES") -f prod.yaml`,
			unread: "helm --values /dev/fd/values"},
		{script: `helm template $(basename $PWD) .`, unread: "$(basename $PWD)"},
		{script: `helm template web . ${ARGOCD_ENV_NONE-x}`, unread: "${ARGOCD_ENV_NONE-"},
		{script: `helm template a .; helm template b .`, unread: "helm template b ."},
		{script: `cd sub; helm template web .`, unread: "cd"},
		{script: `if true; then helm template web .; fi`, unread: "if true; then helm template web .; fi"},
		{script: `X=1 helm template web .`, unread: "X=1 helm template web ."},
		{script: `kustomize build https://example.com/x`, unread: "https://example.com/x"},
		{script: `cat ../*.yaml`, unread: "cat"},
		{script: `jsonnet main.jsonnet`, unread: "jsonnet"},
		{script: `helm dependency build`, unread: "bash -c helm dependency build"},
	} {
		got, unread := ReadGenerate(nil, []string{"bash", "-c", c.script}, vars, open)
		if unread != c.unread {
			t.Errorf("%s\nunread %q, want %q", c.script, unread, c.unread)
		}
		if c.unread == "" && !reflect.DeepEqual(normal(got), normal(c.want)) {
			t.Errorf("%s\n got %+v\nwant %+v", c.script, got, c.want)
		}
	}
	bare := []string{"helm", "template", "$ARGOCD_APP_NAME", "."}
	if _, unread := ReadGenerate(nil, bare, vars, nil); unread != "$ARGOCD_APP_NAME" {
		t.Errorf("without a shell, nothing expands a variable: %q", unread)
	}
	if _, unread := ReadGenerate([]string{"sh", "-c", "curl x"}, []string{"cat", "a.yaml"}, vars, nil); unread != "curl" {
		t.Errorf("what is prepared is read too: %q", unread)
	}
}

func normal(g Generate) Generate {
	if len(g.APIVersions) == 0 {
		g.APIVersions = nil
	}
	if len(g.Values) == 0 {
		g.Values = nil
	}
	return g
}

func TestFinds(t *testing.T) {
	vars := map[string]string{"ARGOCD_ENV_A": "x"}
	for _, c := range []struct {
		script string
		names  []string
		unread string
	}{
		{"find . -name 'Chart.yaml' && find . -name 'values.yaml'", []string{"Chart.yaml", "values.yaml"}, ""},
		{"[[ ! -z $ARGOCD_ENV_A ]] && find . -name 'Chart.yaml'", []string{"Chart.yaml"}, ""},
		{`[ -n "${ARGOCD_ENV_B}" ] && find . -name 'Chart.yaml'`, nil, ""},
		{"find . -name '*.yaml' | xargs grep x", nil, "find . -name '*.yaml' | xargs grep x"},
	} {
		names, unread := Finds([]string{"sh", "-c", c.script}, vars)
		if unread != c.unread || !reflect.DeepEqual(names, c.names) {
			t.Errorf("%s: %q %q", c.script, names, unread)
		}
	}
}
