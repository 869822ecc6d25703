package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var edgeRow = regexp.MustCompile(`(?m)^\| (\d+) \| (.+) \| (.+) \|$`)

// heldBy names the tests that hold each rule of EDGES.md: a package and a function of its
// tests, or a script.
var heldBy = [20][]string{
	{ // 1
		"cmd/kubesettle TestActionOnAFork",
		"cmd/kubesettle TestActionFetchesNothingForAFork",
		"cmd/kubesettle TestActionVerdictNeverDependsOnTheAPI",
		"report/github TestStickyRefused",
	},
	{ // 2
		"report/github TestGuard",
		"report TestReadForeign",
		"report/github TestOpenPull",
		"cmd/kubesettle TestActionCommentsOnAForksResult",
		"cmd/kubesettle TestActionOnAFork",
		"render/tree TestTreeLinks",
	},
	{ // 3
		"cmd/kubesettle TestActionOnOtherEvents",
		"report/github TestRange",
	},
	{ // 4
		"report/github TestRange",
		"report/github TestRangeNeverUsesThePayloadsBase",
		"cmd/kubesettle TestActionRefusesAStaleMerge",
		"cmd/kubesettle TestActionOnAShallowClone",
		"report/github TestFetchCommit",
		"report TestEverySurfaceNamesBothRevisions",
		"cmd/kubesettle/testdata/base_is_where_head_left_it.txtar",
	},
	{ // 5
		"report/github TestStickyRaces",
		"report/github TestStickyCreatesOnce",
	},
	{ // 6
		"report/github TestSticky",
		"report/github TestStickyReadsEveryPage",
		"report TestMarkerRoundTrip",
		"cmd/kubesettle TestActionResolvesItsComment",
	},
	{ // 7
		"report TestMarkdownKeepsItsBudget",
		"report TestMarkdownOfAHugeChange",
		"report TestNoticeCountsWhatIsMissing",
		"report TestSARIFLimits",
		"report TestAnnotationsAreCapped",
	},
	{ // 8
		"cmd/kubesettle/testdata/renamed_workload_stands_beside_itself.txtar",
		"render TestDiffProperties",
		"testdata/render/scripts/diff_leaves_noise_out",
	},
	{ // 9
		"cmd/kubesettle TestEdge9DeletionIsAChange",
		"cmd/kubesettle/testdata/removed_workload_leaves_orphans.txtar",
		"report TestSARIFPrimaryLocation",
		"report TestAnnotationsOfABaseLineHaveNoPlace",
	},
	{ // 10
		"cmd/kubesettle TestEdge10OneSideThatDoesNotRender",
		"cmd/kubesettle/testdata/could_not_analyse_exits_3.txtar",
		"cmd/kubesettle/testdata/one_failed_release_hides_nothing.txtar",
		"cmd/kubesettle/testdata/diff_of_a_broken_release.txtar",
		"render TestBroke",
		"verify/finding TestOneStateWithoutAWorkloadIsNoPass",
	},
	{ // 11
		"render TestProvenanceExamples",
		"testdata/render/scripts/helm_locates_values",
		"testdata/render/scripts/kustomize_locates_fields",
		"report TestSARIFPrimaryLocation",
		"report TestSARIFIsValid",
	},
	{ // 12
		"cmd/kubesettle/testdata/unknown_kinds_are_said.txtar",
	},
	{ // 13
		"cmd/kubesettle/testdata/charts_are_fetched.txtar",
		"testdata/render/scripts/bad_input_fails_its_release",
		"testdata/render/scripts/random_values_are_masked",
		"render/fetch TestChartsThatAreRefused",
		"render/fetch TestHostsThatAreNotAllowed",
	},
	{ // 14
		"testdata/render/scripts/bad_input_fails_its_release",
		"render/fetch TestTreeOfACommit",
		"render/fetch TestAddressesThatAreRefused",
	},
	{ // 15
		"render/tree TestTreeLinks",
		"render/tree TestTreeSizeLimit",
		"render TestHostileInputIsBounded",
		"testdata/render/scripts/hostile_yaml_is_bounded",
		"cmd/kubesettle/testdata/endless_template_is_stopped.txtar",
		"cmd/kubesettle TestActionWritesInsideTheWorkspaceOnly",
	},
	{ // 16
		"cmd/kubesettle TestEdge16SecretsAreNotPrinted",
		"cmd/kubesettle/testdata/secrets_reach_no_output.txtar",
		"cmd/kubesettle TestCanariesReachNoSurface",
		"render/redact TestKnownInEveryForm",
		"render TestRedactHidesCanary",
		"render TestFieldsHideCanary",
		"render TestFailureHidesCanary",
		"report TestSecretsOfChangesAreNotShown",
		"report TestSurfacesAddNothing",
		"verify TestFixShowsNoSecret",
	},
	{ // 17
		"report TestHostileTextRendersAsText",
		"report TestHostileComment",
		"report TestHostileSuggestions",
		"report TestHTMLShowsHostileTextAsText",
		"report/github TestWorkflowLogHoldsNoCommands",
		"report TestOutputEntryCannotBeForged",
		"report FuzzSurfaces",
		"cmd/kubesettle/testdata/hostile_names_are_no_commands.txtar",
	},
	{ // 18
		"cmd/kubesettle TestEdge18BudgetsAreNoPass",
		"verify TestRunningOutOfTimeIsNoPass",
		"verify/finding TestExitCodes",
		"verify TestAnyNumberOfWorkersGivesTheSameBytes",
		"cmd/kubesettle TestHostileRepositories",
	},
	{ // 19
		"cmd/kubesettle/testdata/policy_is_read_from_base.txtar",
		"cmd/kubesettle/testdata/check_fails_on_a_new_finding.txtar",
		"policies TestWaive",
		"verify/accept TestAWaiverCoversUntilItsLastDay",
		"report TestSARIFLevelsAndStates",
	},
	{ // 20
		"cmd/kubesettle TestEdge20OneCheckForTheRepository",
		"cmd/kubesettle/testdata/policy_is_read_from_base.txtar",
		"cmd/kubesettle/testdata/nothing_relevant_changed_passes.txtar",
		"verify/accept TestTheSameDefectInSeveralReleasesIsOneFinding",
		"report/github TestClientRetries",
		"report/github TestClientWritesAtMostTen",
		"report/github TestClientKeepsTheTokenAtHome",
		"report/github TestNewClientRefusesWhatIsNoAddress",
	},
}

// The manual's table of edges has every rule once, in order, and the tests that hold it
// are there.
func TestEdgesHaveTheirTests(t *testing.T) {
	root := filepath.Join("..", "..")
	docs, err := os.ReadFile("EDGES.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := edgeRow.FindAllStringSubmatch(string(docs), -1)
	if len(rows) != len(heldBy) {
		t.Fatalf("%d rules, want %d", len(rows), len(heldBy))
	}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("rule %s stands in the place of %d", row[1], i+1)
		}
		for _, test := range heldBy[i] {
			path, function, _ := strings.Cut(test, " ")
			if err := hasTest(root, path, function); err != "" {
				t.Errorf("rule %s: %s", row[1], err)
			}
		}
	}
}

// hasTest says what is missing of a story's file, or of a function in a package's tests.
func hasTest(root, path, function string) string {
	if function == "" {
		if info, err := os.Stat(filepath.Join(root, path)); err != nil || info.IsDir() || !strings.Contains(path, "testdata/") {
			return path + " is no story"
		}
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(root, path, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), "\nfunc "+function+"(") {
			return ""
		}
	}
	return path + " has no " + function
}
