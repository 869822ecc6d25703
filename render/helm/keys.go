package helm

import (
	"bytes"
	"regexp"
	"sync"

	"helm.sh/helm/v3/pkg/chart"
)

// A key takes longer to make than a chart to render. It is random: of a chart that is rendered to be compared with
// itself (a counterfactual, or once more to see what differs at every render), only the key's form matters. The first
// rendering makes real keys, and so refuses what Helm refuses.
const (
	someCert = `-----BEGIN CERTIFICATE-----\nbm9ib2R5\n-----END CERTIFICATE-----\n`
	someKey  = `-----BEGIN RSA PRIVATE KEY-----\nbm9ib2R5\n-----END RSA PRIVATE KEY-----\n`
	someHash = `$2a$10$nobodynobodynobodynobodynobodynobodynobodynobodynobo`
	somePair = `coalesce (dict "Cert" "` + someCert + `" "Key" "` + someKey + `")`
)

var (
	// keyCall matches what may hold a function's name as well, as [nowCall] does.
	keyCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?s)\"(?:\\\\.|[^\"\\\\])*\"|`[^`]*`|/\\*.*?\\*/|[.$][\\w.]*" +
			`|\bgenPrivateKey\s+"rsa"|\b(?:genCA|genSelfSignedCert|genSignedCert|bcrypt|htpasswd)\b`)
	})
	// ready are expressions of the same form as what the functions give: coalesce gives its first value, whatever
	// follows.
	ready = map[string]string{
		"genCA": somePair, "genSelfSignedCert": somePair, "genSignedCert": somePair,
		"bcrypt": `coalesce "` + someHash + `"`, "htpasswd": `printf "%s:` + someHash + `%.0s"`,
	}
	keyWords = [][]byte{[]byte("genPrivateKey"), []byte("genCA"), []byte("genSelfSignedCert"), []byte("genSignedCert"),
		[]byte("bcrypt"), []byte("htpasswd")}
)

// readyKeys makes templates that ask for new keys and hashes get ready ones, and reports whether there are such. What a
// text of the values asks for (tpl) is made all the same.
func readyKeys(ch *chart.Chart) bool {
	found := false
	for _, t := range ch.Templates {
		if !containsAny(t.Data, keyWords) {
			continue
		}
		t.Data = actions.ReplaceAllFunc(t.Data, func(action []byte) []byte {
			return keyCall().ReplaceAllFunc(action, func(token []byte) []byte {
				text, ok := ready[string(token)]
				if !ok && bytes.HasPrefix(token, []byte("genPrivateKey")) {
					text, ok = `coalesce "`+someKey+`" "rsa"`, true
				}
				if !ok {
					return token
				}
				found = true
				return []byte(text)
			})
		})
	}
	for _, d := range ch.Dependencies() {
		found = readyKeys(d) || found
	}
	return found
}

func containsAny(b []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(b, w) {
			return true
		}
	}
	return false
}
