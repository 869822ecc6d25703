// Package redact keeps secrets out of texts: those that are known, because a Secret of
// either revision holds them, and those that look like a credential. It knows neither
// objects nor which of their fields may be read.
package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Masks that stand where a secret stood.
const (
	Mask        = "<redacted>"
	MaskChanged = "<redacted, changed>"
)

var (
	secretKey = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(passw(or)?d|passphrase|(^|[-_.])pass$|pgpass|pwd$|secret|token|credential|(^|[-_.])creds?$|(^|[-_.])auth$|api[-_.]?key|access[-_.]?key|private[-_.]?key|encryption[-_.]?key|signing[-_.]?key|client[-_.]?key|account[-_.]?key|license[-_.]?key|auth[-_.]?key|dsn$|connection[-_.]?string|cert(ificate)?([-_.]?data)?$|\.(pem|key|crt|p12|pfx|jks|keystore)$|\.dockerconfigjson|\.dockercfg|htpasswd|netrc|basic[-_.]?auth|bearer|authorization|cookie|session[-_.]?key|salt$|webhook([-_.]?url)?$)`)
	})
	// harmless are keys that match and hold names, switches or durations.
	harmless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^checksum/|secret(_|-|)(name|ref|keyref|store|storeref|type|namespace)s?$|secretname|tokenexpiration|automountserviceaccounttoken|expirationseconds|(token|secret|password|key)[-_.]?(file|path|dir|ttl|url|length|policy)$|^imagepullsecrets$|^secrets$|secretproviderclass|serviceaccounttoken$|secretkeyref$|passwordsecret|existingsecret)`)
	})

	// secretForm are texts that are credentials by themselves, in whole.
	secretForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|ASIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|sk-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)|ENC\[AES256_GCM`)
	})
	userInfo   = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^/\s:@"']*):([^/\s@"']+)@`)
	assignment = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)((?:^|[\s,;&?"'{(])[-\w.]*(?:passw(?:or)?d|passphrase|pass|secret|token|credential|creds|auth|api[-_.]?key|access[-_.]?key|private[-_.]?key|auth[-_.]?key|webhook)[-\w.]*["']?\s*[:=]\s*)("[^"\n]*"|'[^'\n]*'|[^\s,;&"'}]+)`)
	})
)

// spoken are the ways in which commands and files hand a credential over; what the group
// holds is masked.
var spoken = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:bearer|basic|digest)\s+([A-Za-z0-9+/_.~=-]{6,})`),
		regexp.MustCompile(`(?:^|\s)(?:-u|--user|--proxy-user)[ =]?["']?([^\s"':]+:[^\s"']+)`),
		regexp.MustCompile(`(?i)\b(?:mysql|mysqldump|mysqladmin|mariadb|mongo\w*|sshpass|redis-cli|ldap\w+)\b[^\n|;&]*?\s-{1,2}(?:p|a|w)\s?["']?([^\s"'-][^\s"']*)`),
		regexp.MustCompile(`(?i)\bpassword\s+["']?([^\s"':=]{3,})["']?\s*$`),                          // netrc
		regexp.MustCompile(`(?i)\blogin\s+\S+\s+password\s+(\S+)`),                                    // netrc, on one line
		regexp.MustCompile(`(?m)^[^\s:]+:\d{1,5}:[^\s:]+:[^\s:]+:(\S+)$`),                             // pgpass
		regexp.MustCompile(`["']?[\w.-]+:([^\s"':|]+)["']?\s*\|\s*(?:sudo\s+)?chpasswd`),              // chpasswd
		regexp.MustCompile(`\$(?:1|2[aby]|5|6|apr1|y|argon2\w*)\$([./A-Za-z0-9$=,+-]{10,})`),          // crypt
		regexp.MustCompile(`(?:^|[^A-Za-z0-9:_/@.-])([0-9a-f]{48,}|[0-9A-F]{48,})(?:$|[^A-Za-z0-9])`), // a key in hex; a digest says sha256:
		regexp.MustCompile(`(?i)https?://(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks|[^/\s]*webhook\.office\.com)/([^\s"']+)`),
	}
})

// tellingParts are parts of names, in lower case: in every name that [secretKey] finds one of them stands.
var tellingParts = []string{
	"pass", "pwd", "secret", "token", "cred", "auth", "key", "dsn", "connection", "cert", "cookie", "bearer", "webhook", "salt", "netrc", "dockerc",
	".pem", ".crt", ".p12", ".pfx", ".jks",
}

// mayTell is false of a name in which [secretKey] finds nothing, and quicker: most names are none.
func mayTell(name string) bool {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return true // letters beyond ASCII that fold to some of it
		}
	}
	name = strings.ToLower(name)
	return slices.ContainsFunc(tellingParts, func(part string) bool { return strings.Contains(name, part) })
}

// Tells reports whether a key's own words say that its value is a secret.
func Tells(name string) bool {
	return mayTell(name) && secretKey().MatchString(name) && !harmless().MatchString(name)
}

// IsCredential reports whether a text is a credential by its own form.
func IsCredential(text string) bool { return secretForm().MatchString(text) }

// Text masks credentials inside a longer text: passwords in addresses and commands, values
// that are assigned to telling names, private keys, and what the rules of gitleaks find.
func Text(text string) string { return said(text, nil) }

// Clean masks known texts, then any text that looks like a credential ([Text]) and is no known name ([Known.Named]).
func (k *Known) Clean(text string) string { return said(k.Scrub(text), k) }

func said(text string, names *Known) string {
	if text == "" {
		return text
	}
	marks := marksOf(text)
	if marks.any(formMarks) && secretForm().MatchString(text) {
		return Mask
	}
	if marks.any(userMarks) {
		text = userInfo.ReplaceAllString(text, "${1}${2}:"+Mask+"@")
	}
	for i, re := range spoken() {
		if marks.any(spokenMarks[i]) {
			text = maskGroup(text, re)
		}
	}
	if marks.any(assignmentMarks) {
		text = maskAssigned(text)
	}
	return detected(text, names)
}

// maskAssigned masks what a text assigns to names that tell.
func maskAssigned(text string) string {
	return assignment().ReplaceAllStringFunc(text, func(m string) string {
		sub := assignment().FindStringSubmatch(m)
		name := strings.Trim(strings.TrimSpace(sub[1]), `-"'({:= `)
		if !Tells(name) || strings.HasPrefix(strings.Trim(sub[2], `"'`), "<redacted") || strings.HasPrefix(sub[2], "$") {
			return m
		}
		return sub[1] + Mask
	})
}

// maskGroup masks the first group of each match.
func maskGroup(text string, re *regexp.Regexp) string {
	list := re.FindAllStringSubmatchIndex(text, -1)
	if len(list) == 0 {
		return text
	}
	var out strings.Builder
	end := 0
	for _, m := range list {
		if m[2] < end || m[3] <= m[2] {
			continue
		}
		if found := text[m[2]:m[3]]; found[0] == '$' || strings.HasPrefix(found, "<redacted") ||
			re == spoken()[0] && PlainWords(found) {
			continue // a variable's name, masked already, or "basic authentication"
		}
		out.WriteString(text[end:m[2]])
		out.WriteString(Mask)
		end = m[3]
	}
	return out.String() + text[end:]
}

// URL drops the user from an address.
func URL(ref string) string {
	if u, err := url.Parse(ref); err == nil && u.User != nil {
		u.User = url.User("redacted")
		return u.String()
	}
	return userInfo.ReplaceAllString(ref, "${1}${2}:"+Mask+"@")
}
