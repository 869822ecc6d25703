package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const canary = "kanarienvogel-9f8e7d"

// Every way in which a command or a file hands a credential over is masked in a text.
func TestTextMasksWhatIsSaid(t *testing.T) {
	for name, text := range map[string]string{
		"ADMIN_PASS":    "ADMIN_PASS=%s",
		"DB_PASS":       "export DB_PASS='%s' && run",
		"PGPASS":        "PGPASS=%s psql",
		"REDIS_AUTH":    "REDIS_AUTH: %s",
		"CREDS":         `{"CREDS": "%s"}`,
		"SLACK_WEBHOOK": "SLACK_WEBHOOK=%s",
		"bearer":        "curl -H 'X: Bearer %s' x",
		"basic":         "header Basic %s",
		"curl -u":       "curl -u admin:%s https://x",
		"curl --user":   "curl --user 'admin:%s' https://x",
		"mysql -p":      "mysql -uroot -p%s shop",
		"netrc":         "machine x login y password %s",
		"pgpass":        "db:5432:shop:app:%s",
		"chpasswd":      "echo root:%s | chpasswd",
		"docker auth":   `{"auths": {"r": {"auth": "%s"}}}`,
		"user info":     "https://u:%s@host/path",
		"slack hook":    "https://hooks.slack.com/services/T0/B0/%s",
		"assignment":    "password = \"%s\"",
	} {
		if got := Text(strings.ReplaceAll(text, "%s", canary)); strings.Contains(got, canary) || !strings.Contains(got, Mask) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, key := range []string{
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "ghp_0123456789abcdefghijABCDEFGHIJ012345", "glpat-a8dK2mPq5vXz7RtY3wNc",
		"-----BEGIN RSA PRIVATE KEY-----\nabc", "AKIAIOSFODNN7EXAMPL2", "dop_v1_" + strings.Repeat("0a1b2c3d", 8), "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",
	} {
		if got := Text("value " + key + " here"); strings.Contains(got, key) {
			t.Errorf("%s is shown", got)
		}
	}
}

// What is no credential stays.
func TestTextKeepsWhatIsPlain(t *testing.T) {
	for _, text := range []string{
		"apps/Deployment default/web: replicas 2 -> 4", "image registry.example.com/a@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"spec.template.spec.containers[0].resources.requests[cpu]", "secretKeyRef: web-db", "topology.kubernetes.io/zone", "--token-file=/var/run/token",
		"unknown field spec.replica", "https://github.com/kubesettle/kubesettle", "the author authors an authority", "basic authentication",
	} {
		if got := Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A known value is masked in whatever form it turns up.
func TestKnownInEveryForm(t *testing.T) {
	for _, value := range []string{canary, "ab1!-z", "x9 y+z/ä\"q<w>", strings.Repeat("long-9value ", 20), "line-1x one\nline-2x two\nline-3x three"} {
		k := &Known{}
		k.Add(value)
		k.Seal()
		for _, form := range []string{
			value, strings.ToUpper(value), base64.StdEncoding.EncodeToString([]byte(value)), base64.StdEncoding.EncodeToString([]byte(value + "\n")),
			base64.URLEncoding.EncodeToString([]byte("user:" + value)),
		} {
			got := k.Scrub("before " + form + " after")
			for _, line := range strings.Split(form, "\n") {
				if len(line) >= 6 && strings.Contains(got, line) || len(line) > 20 && strings.Contains(got, line[8:18]) {
					t.Errorf("%q as %q: %s", value, form, got)
				}
			}
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Errorf("%q: too much is gone: %q", value, got)
			}
		}
	}
}

// The values in a file that a Secret holds are known, and its words are not.
func TestKnownReadsFiles(t *testing.T) {
	k := &Known{}
	k.Add("[client]\nuser = app\npassword = " + canary + "\nport = 3306\n")
	k.Add(`{"auths": {"registry.example.com": {"auth": "` + base64.StdEncoding.EncodeToString([]byte("robot:z8-second")) + `"}}}`)
	k.Add("postgres://app:q7-third@db/shop")
	k.Seal()
	for _, hidden := range []string{canary, "z8-second", "q7-third"} {
		if got := k.Scrub("it is " + hidden + "."); strings.Contains(got, hidden) {
			t.Errorf("%s is shown", hidden)
		}
	}
	for _, plain := range []string{"the client of port 3306", "user = app"} {
		if got := k.Scrub(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// A name that a Secret holds too stays a name, if it is plain words.
func TestKnownKeepsPublicWords(t *testing.T) {
	k := &Known{}
	public := []string{"postgres", "web-backend", "oauth2-proxy", "k8s-gateway", "s3-backup.tar"}
	hidden := []string{canary, "unlisted", "hunter2000", "pa55-w0rd", "oauth2-proxied"}
	k.Public(public...)
	k.Public(hidden[0], hidden[2], hidden[3])
	for _, v := range slices.Concat(public, hidden, []string{"true", "5432", "postgres,", "postgres."}) {
		k.Add(v)
	}
	k.Seal()
	const said = "true 5432 postgres, postgres."
	got := k.Scrub(strings.Join(slices.Concat(public, []string{said}, hidden), " "))
	if want := strings.Join(public, " ") + " " + said + strings.Repeat(" "+Mask, len(hidden)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A scrub splits no word. What is plain words, or short, is masked where it is a name of its
// own, and stays where it is a part of one; anything else is masked with the whole of the
// words that it stands in.
func TestScrubSplitsNoWord(t *testing.T) {
	for _, c := range []struct{ secret, text, want string }{
		{"postgres", "charts/postgresql@12.12.10", "charts/postgresql@12.12.10"},
		{"postgres", "postgres-backup.yaml and web.postgres", "postgres-backup.yaml and web.postgres"},
		{"postgres", "postgres://app:postgres@db/shop. postgres.", Mask + "://app:" + Mask + "@db/shop. " + Mask + "."},
		{"cat", "concatenate", "concatenate"},
		{"ab1!-z", "xab1!-zy ab1!-z", "xab1!-zy " + Mask},
		{strings.Repeat("key/of-", 5) + "tionset", "apps-applicationset.yaml", "apps-applicationset.yaml"},
		{canary, "pre" + canary + "post, " + canary + ".", Mask + ", " + Mask + "."},
		{canary, "aGVsbG8" + base64.StdEncoding.EncodeToString([]byte("u:"+canary+":x")) + " b", Mask + " b"},
		{strings.Repeat("ä1", 20), "a " + strings.Repeat("ä1", 20) + " b", "a " + Mask + " b"},
	} {
		k := &Known{}
		k.Add(c.secret)
		k.Seal()
		if got := k.Scrub(c.text); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.secret, c.text, got, c.want)
		}
	}
}

// What stands in a Secret until its value comes from elsewhere is no secret, and its words
// stay where they are.
func TestPlaceholdersAreNoSecrets(t *testing.T) {
	for _, v := range []string{
		"override_me", "changeme", "CHANGE-ME", "<password>", "${DB_PASSWORD}", "{{ .Values.password }}", "placeholder", "secret", "password",
		"your-secret-here", "xxxxxx", "todo", "snakeoil", "replace_me", "dummy", "test",
	} {
		k := &Known{}
		k.Add(v)
		k.Add(base64.StdEncoding.EncodeToString([]byte(v)))
		k.Seal()
		if text := "a " + v + " b"; k.Scrub(text) != text {
			t.Errorf("%q became %q", text, k.Scrub(text))
		}
	}
	for _, v := range []string{"hunter2-9x", "changeme-9f8e7d", "correct horse", "s3cret!x", "<a1b2c3d4>", "Password1!"} {
		if Placeholder(v) {
			t.Errorf("%q counts as a placeholder", v)
		}
	}
}

// A Secret that is no YAML gives its values away all the same, so that no error shows them.
func TestHarvestReadsWhatNobodyElseCan(t *testing.T) {
	for name, text := range map[string]string{
		"block":     "kind: Secret\nmetadata: {name: s}\ndata:\n  a: *%s\n",
		"broken":    "kind: Secret\nmetadata:\n\tname: s\nstringData:\n  a: b: %s\n",
		"flow":      "{kind: Secret, metadata: {name: s}, stringData: {a: %s}}",
		"folded":    "kind: Secret\nstringData:\n  a: >\n    %s\n",
		"sealed":    "kind: SealedSecret\nspec:\n  encryptedData:\n    a: %s\n",
		"external":  "kind: ExternalSecret\nspec:\n  target:\n    template:\n      data:\n        a: \"u:%s\"\n",
		"second":    "kind: Pod\n---\nkind: Secret\ndata: {a: '%s'}\n---\n",
		"generator": "secretGenerator:\n- name: s\n  literals:\n  - key=%s\n",
		"no equals": "secretGenerator:\n- name: s\n  literals: [\"%s\"]\n",
		"one line":  "secretGenerator: [{name: s, literals: [key=%s]}]\n",
	} {
		k := &Known{}
		k.Harvest([]byte(strings.ReplaceAll(text, "%s", canary)))
		k.Seal()
		if got := k.Scrub("unknown anchor '" + canary + "' referenced"); strings.Contains(got, canary) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func FuzzScrub(f *testing.F) {
	f.Add("secret-value-1", "a secret-value-1 b")
	f.Add("x=y\npassword: abc123", "abc123abc123")
	f.Add(strings.Repeat("ab", 40), strings.Repeat("ab", 100))
	f.Fuzz(func(t *testing.T, value, around string) {
		k := &Known{}
		k.Add(value)
		k.Seal()
		text := around + "\n" + value + "\n" + around
		got := k.Scrub(text)
		if trimmed := strings.TrimSpace(value); len(trimmed) >= 8 && !strings.Contains(trimmed, "\n") && !SafeForm(trimmed) && !Placeholder(trimmed) && strings.Contains(strings.ReplaceAll(got, Mask, ""), "\n"+trimmed+"\n") {
			t.Errorf("%q is in %q", trimmed, got)
		}
		k.Harvest([]byte(text))
		Text(text)
	})
}

// The quick look at a name says no of none that the expression finds, however it is written.
func TestNoTellingNameIsPassedOver(t *testing.T) {
	parts := []string{"pass", "word", "passwd", "phrase", "pgpass", "pwd", "secret", "token", "credential", "creds", "cred", "auth", "api", "access", "private",
		"encryption", "signing", "client", "account", "license", "key", "dsn", "connection", "string", "cert", "ificate", "data", ".pem", ".key", ".crt", ".p12",
		".pfx", ".jks", ".keystore", ".dockerconfigjson", ".dockercfg", "htpasswd", "netrc", "basic", "bearer", "authorization", "cookie", "session", "salt",
		"webhook", "url", "-", "_", ".", "name", "image", "\u212a", "to\u212aen", "\u017fecret", "e\u0301"}
	r := rand.New(rand.NewPCG(2, 9))
	told, passed := 0, 0
	for range 40000 {
		name := ""
		for range 1 + r.IntN(4) {
			part := parts[r.IntN(len(parts))]
			if r.IntN(3) == 0 {
				part = strings.ToUpper(part)
			}
			name += part
		}
		want := secretKey().MatchString(name) && !harmless().MatchString(name)
		if got := Tells(name); got != want {
			t.Fatalf("%q tells of a secret: %v, want %v", name, got, want)
		}
		if want {
			told++
		} else if !mayTell(name) {
			passed++
		}
	}
	if told < 1000 || passed < 1000 {
		t.Errorf("%d names tell, %d are passed over: too few to show anything", told, passed)
	}
}
