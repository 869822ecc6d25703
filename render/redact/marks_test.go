package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// unmarked is [said] with every expression looked for in every text.
func unmarked(text string) string {
	if text == "" {
		return text
	}
	if secretForm().MatchString(text) {
		return Mask
	}
	text = userInfo.ReplaceAllString(text, "${1}${2}:"+Mask+"@")
	for _, re := range spoken() {
		text = maskGroup(text, re)
	}
	return detected(maskAssigned(text), nil)
}

// Texts drawn of what credentials and ordinary messages are made of: what is masked does not depend on which marks are
// looked for first.
func TestMarksHideNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	parts := []string{" ", " ", ": ", "=", "\n", "\"", "'", "-u ", "--USER=", "--proxy-user ", "ann:", "Bearer ",
		"BA\u017fIC ", "digest ", "abcdefgh12", "mysql -p", "\u212aey", "Password ", "login me password ",
		"db:5432:app:ann:", "x:y | sudo chpasswd", "$6$", "$2a$10$abcdefghijkl", strings.Repeat("0af3", 12),
		strings.Repeat("0AF3", 13), "https://", "hooks.slack.com/services/", "Discord.com/api/webhooks/",
		"x.webhook.office.com/", "ann:secret12@host", "ghp_abcdefghij0123456789xy", "AKIA0123456789ABCDEF",
		"-----BEGIN RSA PRIVATE KEY-----", "eyJhbGciOi.eyJzdWIi.x", "ENC[AES256_GCM", "api_key", "client-secret",
		"TOKEN", "creds", "auth", "web", "the chart", "\u00e9", "glpat-abcdefghijklmnopqrst", "apiVersion", "1234",
		"redis-cli -a ", "sk-abcdefghijklmnopqrstu", "/", "."}
	masked := 0
	for range 3000 {
		var text strings.Builder
		for range 1 + r.IntN(7) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		got, want := Text(text.String()), unmarked(text.String())
		if got != want {
			t.Fatalf("%q: %q, want %q", text.String(), got, want)
		}
		if got != text.String() {
			masked++
		}
	}
	if masked < 300 {
		t.Errorf("only %d of the texts had anything to mask", masked)
	}
}

// A rule that is decoded by itself, once it is needed, is the one that the whole file has.
func TestRulesAreThoseOfTheFile(t *testing.T) {
	var file struct {
		Rules []struct {
			Regex, Path string
			Entropy     float64
			SecretGroup int
			Keywords    []string
			Allowlists  []struct {
				RegexTarget        string
				Regexes, StopWords []string
			}
		}
	}
	if _, err := toml.Decode(gitleaks, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Rules) != len(rules()) {
		t.Fatalf("%d rules, want %d", len(rules()), len(file.Rules))
	}
	for i, want := range file.Rules {
		got := &rule{text: rules()[i].text, keywords: rules()[i].keywords}
		var keywords, spared, stops []string
		for _, k := range want.Keywords {
			keywords = append(keywords, strings.ToLower(k))
		}
		if got.decode(); !slices.Equal(got.keywords, keywords) || got.none != (want.Regex == "" || want.Path != "") {
			t.Errorf("rule %d: %q, %t; want %q", i, got.keywords, got.none, keywords)
		}
		if got.none {
			continue
		}
		for _, a := range want.Allowlists {
			if a.RegexTarget == "" || a.RegexTarget == "secret" {
				spared, stops = append(spared, a.Regexes...), append(stops, a.StopWords...)
			}
		}
		if got.find.String() != want.Regex || got.entropy != want.Entropy || got.group != want.SecretGroup ||
			!slices.Equal(got.stops, stops) || len(got.spared) != len(spared) {
			t.Errorf("rule %d is not that of the file: %q", i, want.Regex)
		}
		for k, re := range got.spared {
			if re.String() != spared[k] {
				t.Errorf("rule %d spares %q, want %q", i, re, spared[k])
			}
		}
	}
}
