package report

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/owenrumney/go-sarif/v2/sarif"

	"github.com/kubesettle/kubesettle/verify/finding"
)

// sarifDriver describes the tool and its rules, the user's own ones included.
func sarifDriver(r *finding.Result, rules []Rule) *sarif.ToolComponent {
	d := sarif.NewDriver("Kubesettle")
	d.WithFullName("Kubesettle, a model checker for Kubernetes changes")
	d.WithOrganization("Kubesettle")
	d.WithInformationURI(InformationURI)
	version := toolVersion(r.Tool)
	d.WithVersion(version)
	if semver.MatchString(version) {
		d.WithSemanticVersion(version)
	}
	d.Rules = []*sarif.ReportingDescriptor{}
	known := map[string]bool{}
	for _, rule := range rules {
		if known[rule.ID] {
			continue
		}
		known[rule.ID] = true
		uri := helpURI(rule.ID)
		if rule.Own {
			uri = InformationURI
		}
		d.Rules = append(d.Rules, sarifRule(rule).WithHelpURI(uri))
	}
	for _, it := range sarifItems(r) {
		id := ruleID(&it.finding)
		if known[id] {
			continue
		}
		known[id] = true
		d.Rules = append(d.Rules, sarifRule(Rule{
			ID: id, Class: it.finding.Class, Severity: it.finding.Severity,
			Title: "an intent of this repository's own policy is violated",
			Real:  "An intent named `" + strings.ReplaceAll(id, "`", "'") + "` is in the policy file of this repository.",
		}).WithHelpURI(InformationURI))
	}
	return d
}

var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// toolVersion is VERSION of "kubesettle VERSION", without the v; it begins with a
// digit, as validators want.
func toolVersion(tool string) string {
	_, v, _ := strings.Cut(line(tool), " ")
	v = strings.TrimPrefix(v, "v")
	if v == "" {
		return "0-unknown"
	}
	if v[0] < '0' || v[0] > '9' {
		return "0-" + v
	}
	return v
}

func sarifRule(r Rule) *sarif.ReportingDescriptor {
	level := [...]string{"error", "warning", "note"}[severityRank(r.Severity)]
	what := plain(r.Real)
	if what == "" {
		what = sentence(r.Title)
	}
	out := sarif.NewRule(r.ID).WithName(ruleName(r.ID))
	out.WithShortDescription(sarif.NewMultiformatMessageString(clip(sentence(capitalOr(r.Title, r.ID)), 1024)))
	out.WithFullDescription(sarif.NewMultiformatMessageString(clip(sentence(what), 1024)))
	out.WithHelp(sarif.NewMultiformatMessageString(helpText(r)).WithMarkdown(helpMarkdown(r)))
	out.WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level))
	tags := []string{"kubernetes", "reliability"}
	if c := line(r.Class); c != "" {
		tags = append(tags, c)
	}
	out.Properties = sarif.Properties{
		"tags": tags, "precision": "high",
		"problem.severity": [...]string{"error", "warning", "recommendation"}[severityRank(r.Severity)],
	}
	return out
}

// helpURI is where the rule is documented.
func helpURI(id string) string {
	return InformationURI + "/blob/main/docs/rules.md#" + url.PathEscape(id)
}

func capitalOr(s, other string) string {
	if s == "" {
		s = other
	}
	return capital(line(s))
}

// ruleName is the rule's ID in PascalCase; it must differ from the ID by more than case.
func ruleName(id string) string {
	name := pascal(id)
	if strings.EqualFold(name, id) {
		return name + "Rule"
	}
	return name
}

// pascal turns kebab-case into PascalCase, the form of rule names.
func pascal(id string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		b.WriteString(capital(w))
	}
	if b.Len() == 0 || b.String()[0] < 'A' {
		return "Rule" + b.String()[:min(b.Len(), 245)]
	}
	return b.String()[:min(b.Len(), 250)]
}

// helpText is a rule's help without markup.
func helpText(r Rule) string {
	parts := []string{sentence(capitalOr(r.Title, r.ID))}
	for _, s := range []string{r.Real, r.Bad, r.Now} {
		if p := plain(s); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "\n\n")
}

var link = regexp.MustCompile(`\[([^\]]*)\]\(([^)]*)\)`)

// plain takes the markup out of a rule's own Markdown.
func plain(md string) string {
	md = link.ReplaceAllString(md, "$1 ($2)")
	return strings.TrimSpace(strings.NewReplacer("`", "", "**", "").Replace(md))
}

// helpMarkdown is a rule's help as code scanning shows it.
func helpMarkdown(r Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", capitalOr(r.Title, r.ID))
	for _, p := range r.answers() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", p.title, strings.TrimSpace(p.text))
	}
	if len(r.Sources) > 0 {
		b.WriteString("\n## Sources\n\n")
		for _, s := range r.Sources {
			fmt.Fprintf(&b, "- <%s>\n", s)
		}
	}
	fmt.Fprintf(&b, "\nIn a terminal: `kubesettle explain %s`. [If you do not believe a finding](%s).\n", r.ID, doubtPage)
	return b.String()
}
