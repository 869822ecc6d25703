package render

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Masks that stand where a secret stood.
const (
	redacted        = "<redacted>"
	redactedChanged = "<redacted, changed>"
)

var (
	secretKey = regexp.MustCompile(`(?i)(passw(or)?d|passphrase|pwd$|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key|encryption[-_.]?key|signing[-_.]?key|client[-_.]?key|account[-_.]?key|license[-_.]?key|auth[-_.]?key|dsn$|connection[-_.]?string|cert(ificate)?([-_.]?data)?$|\.(pem|key|crt|p12|pfx|jks|keystore)$|\.dockerconfigjson|htpasswd|basic[-_.]?auth|cookie|session[-_.]?key|salt$|webhook[-_.]?url)`)
	// harmless are keys that match and hold names, switches or durations.
	harmless   = regexp.MustCompile(`(?i)(^checksum/|secret(_|-|)(name|ref|keyref|store|storeref|type|namespace)s?$|secretname|tokenexpiration|automountserviceaccounttoken|expirationseconds|(token|secret|password|key)[-_.]?(file|path|dir|ttl|url|length|policy)$|^imagepullsecrets$|^secrets$|secretproviderclass|serviceaccounttoken$|secretkeyref$|passwordsecret|existingsecret)`)
	tlsField   = regexp.MustCompile(`(?i)^(m?tls|ssl|x509|https)$`)
	certField  = regexp.MustCompile(`(?i)^(tls)?[-_.]?(cert|certificate|crt|ca|ca[-_.]?cert|chain)$`)
	secretForm = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|sk-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)|ENC\[AES256_GCM`)
	userInfo   = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^/\s:@"']*):([^/\s@"']+)@`)
	assignment = regexp.MustCompile(`(?i)((?:^|[\s,;&?"'{])[-\w.]*(?:passw(?:or)?d|passphrase|secret|token|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key|auth[-_.]?key)[-\w.]*["']?\s*[:=]\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;&"'}]+)`)
)

// Redact copies an object's content with every secret masked: the data of a Secret,
// values under telling keys, environment variables, arguments and annotations that look
// like credentials.
func Redact(o *Object) map[string]any {
	if o == nil {
		return nil
	}
	c, _ := deepCopy(o.Content).(map[string]any)
	maskSecrets(o, c, func(fieldPath) string { return redacted })
	return c
}

// redactPair masks both sides of a change, so that a secret that changed still shows as
// changed.
func redactPair(b, h *Object) (map[string]any, map[string]any) {
	if b == nil || h == nil {
		return Redact(b), Redact(h)
	}
	hc, _ := deepCopy(h.Content).(map[string]any)
	maskSecrets(h, hc, func(p fieldPath) string {
		was, ok := p.get(b.Content)
		now, _ := p.get(h.Content)
		if ok && sameJSON(was, now) {
			return redacted
		}
		return redactedChanged
	})
	return Redact(b), hc
}

// maskSecrets masks the leaves of c, a copy of the object's content.
func maskSecrets(o *Object, c map[string]any, mask func(fieldPath) string) {
	leaves(o.Content, nil, func(p fieldPath, v any) {
		switch {
		case secretAt(o, p, v):
			p.set(c, mask(p))
		case isText(v):
			if text := redactText(v.(string)); text != v {
				p.set(c, text)
			}
		}
	})
}

func isText(v any) bool { _, ok := v.(string); return ok }

// secretAt says whether the value at a path must not be shown at all.
func secretAt(o *Object, p fieldPath, v any) bool {
	if len(p) == 0 || v == nil || isEmpty(v) {
		return false
	}
	switch v.(type) {
	case bool:
		return false
	}
	top := p[0].key
	switch {
	case o.ID.Kind == "Secret" && (top == "data" || top == "stringData"):
		return true
	case o.ID.Kind == "SealedSecret" && top == "spec":
		return strings.Contains(p.String(), "encryptedData")
	case p[len(p)-1].key == "kubectl.kubernetes.io/last-applied-configuration":
		return true
	}
	if o.holdsHidden(v) {
		return true
	}
	text, ok := v.(string)
	if ok && secretForm.MatchString(text) {
		return true
	}
	if secretName(o, p) {
		return true
	}
	return ok && followsFlag(o, p) || ok && highEntropy(text)
}

// holdsHidden says whether a value holds a text of a Secret that its release was given.
func (o *Object) holdsHidden(v any) bool {
	if len(o.hidden) == 0 {
		return false
	}
	text := fmt.Sprint(v)
	for _, h := range o.hidden {
		if strings.Contains(text, h) {
			return true
		}
	}
	return false
}

// secretName says whether a path's own words name a secret.
func secretName(o *Object, p fieldPath) bool {
	last := p[len(p)-1].key
	if p[len(p)-1].index >= 0 && len(p) > 1 {
		last = p[len(p)-2].key
	}
	if len(p) > 2 && (last == "value") { // env: {name: X, value: Y}
		name, _ := p[:len(p)-1].with(key("name")).get(o.Content)
		if text, ok := name.(string); ok {
			return tells(text)
		}
	}
	switch o.ID.Kind {
	case "CustomResourceDefinition":
		return false
	}
	return tells(last) || keyOfPair(o, p)
}

// keyOfPair says whether a field called key is the private one of a certificate: beside
// it, or in a field about TLS. Elsewhere key is a word of selectors and references.
func keyOfPair(o *Object, p fieldPath) bool {
	if len(p) < 2 || !strings.EqualFold(p[len(p)-1].key, "key") {
		return false
	}
	if tlsField.MatchString(p[len(p)-2].key) {
		return true
	}
	beside, _ := p[:len(p)-1].get(o.Content)
	m, _ := beside.(map[string]any)
	for k := range m {
		if certField.MatchString(k) {
			return true
		}
	}
	return false
}

func tells(name string) bool { return secretKey.MatchString(name) && !harmless.MatchString(name) }

// followsFlag says whether an argument is the value of a flag before it.
func followsFlag(o *Object, p fieldPath) bool {
	last := p[len(p)-1]
	if last.index < 1 || len(p) < 2 {
		return false
	}
	if list := p[len(p)-2].key; list != "args" && list != "command" {
		return false
	}
	v, _ := p[:len(p)-1].with(at(last.index - 1)).get(o.Content)
	flag, ok := v.(string)
	return ok && strings.HasPrefix(flag, "-") && !strings.Contains(flag, "=") && tells(strings.TrimLeft(flag, "-"))
}

// highEntropy says whether a text looks like random key material: long, without spaces,
// and of three classes of characters in a good mixture. Digests and image names do not.
func highEntropy(text string) bool {
	if len(text) < 32 || len(text) > 4096 || strings.ContainsAny(text, " \n\t:/.") {
		return false
	}
	var lower, upper, digit, turns int
	class := 0
	for _, r := range text {
		now := 0
		switch {
		case r >= 'a' && r <= 'z':
			lower++
			now = 1
		case r >= 'A' && r <= 'Z':
			upper++
			now = 2
		case r >= '0' && r <= '9':
			digit++
			now = 3
		}
		if now != class {
			turns++
		}
		class = now
	}
	return lower > 3 && upper > 3 && digit > 2 && turns*3 > len(text)
}

// redactText masks credentials inside a longer text: passwords in addresses, values
// assigned to telling names, private keys.
func redactText(text string) string {
	if secretForm.MatchString(text) {
		return redacted
	}
	text = userInfo.ReplaceAllString(text, "${1}${2}:"+redacted+"@")
	return assignment.ReplaceAllStringFunc(text, func(m string) string {
		sub := assignment.FindStringSubmatch(m)
		name := strings.Trim(strings.TrimSpace(sub[1]), `-"':= `)
		if !tells(name) || strings.HasPrefix(sub[2], "<redacted") || strings.HasPrefix(sub[2], "$") {
			return m
		}
		return sub[1] + redacted
	})
}

// redactURL drops the user from an address.
func redactURL(ref string) string {
	if u, err := url.Parse(ref); err == nil && u.User != nil {
		u.User = url.User("redacted")
		return u.String()
	}
	return userInfo.ReplaceAllString(ref, "${1}${2}:"+redacted+"@")
}

// replaceWord masks a value where it is not a part of a longer word.
func replaceWord(text, value string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, value)
		if i < 0 {
			return out.String() + text
		}
		end := i + len(value)
		out.WriteString(text[:i])
		if (i > 0 && isWord(text[i-1])) || (end < len(text) && isWord(text[end])) {
			out.WriteString(value)
		} else {
			out.WriteString(redacted)
		}
		text = text[end:]
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// scrub removes from a message every value of a telling key, as Helm's errors print
// values; and whatever looks like a credential by itself.
func scrub(text string, vals ...map[string]any) string {
	for _, v := range vals {
		leaves(v, nil, func(p fieldPath, leaf any) {
			s, ok := leaf.(string)
			if !ok || len(s) < 4 || len(p) == 0 {
				return
			}
			for _, st := range p {
				if tells(st.key) {
					text = replaceWord(text, s)
					return
				}
			}
		})
	}
	return redactText(text)
}
