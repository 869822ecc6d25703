package ci

import (
	"fmt"
	"strings"
	"testing"
)

const (
	headSHA = "2222222222222222222222222222222222222222"
	baseSHA = "1111111111111111111111111111111111111111"
	zeros   = "0000000000000000000000000000000000000000"
)

// Each system's variables, as its documentation has them, give the change that is under review.
func TestDetect(t *testing.T) {
	for _, tc := range []struct {
		title  string
		env    map[string]string
		system string
		bases  string
		number string
		fork   bool
	}{
		{"a merge request", map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": headSHA, "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": baseSHA,
			"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1"},
			"GitLab CI", baseSHA + " origin/main", "7", false},
		{"merged results", map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": headSHA, "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": baseSHA,
			"CI_MERGE_REQUEST_DIFF_BASE_SHA": "3333", "CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2"},
			"GitLab CI", baseSHA + " 3333", "7", true},
		{"a push", map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": headSHA, "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": baseSHA},
			"GitLab CI", baseSHA, "", false},
		{"a new branch", map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": headSHA, "CI_COMMIT_BRANCH": "topic", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": zeros},
			"GitLab CI", "origin/main", "", false},
		{"a first commit", map[string]string{"GITLAB_CI": "true", "CI_COMMIT_SHA": headSHA, "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": zeros},
			"GitLab CI", "", "", false},
		{"an Azure pull request", map[string]string{"TF_BUILD": "True", "BUILD_REASON": "PullRequest", "BUILD_SOURCEVERSION": headSHA, "SYSTEM_PULLREQUEST_PULLREQUESTID": "9",
			"SYSTEM_PULLREQUEST_SOURCECOMMITID": "3333", "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main", "SYSTEM_PULLREQUEST_ISFORK": "True"},
			"Azure Pipelines", headSHA + "^1 origin/main", "9", true},
		{"an Azure push", map[string]string{"TF_BUILD": "True", "BUILD_REASON": "IndividualCI", "BUILD_SOURCEVERSION": headSHA}, "Azure Pipelines", headSHA + "^1", "", false},
		{"a Bitbucket pull request", map[string]string{"BITBUCKET_BUILD_NUMBER": "3", "BITBUCKET_COMMIT": headSHA, "BITBUCKET_PR_ID": "4",
			"BITBUCKET_PR_DESTINATION_COMMIT": "1111111", "BITBUCKET_PR_DESTINATION_BRANCH": "main"}, "Bitbucket Pipelines", "1111111 origin/main", "4", false},
		{"a Bitbucket push", map[string]string{"BITBUCKET_BUILD_NUMBER": "3", "BITBUCKET_COMMIT": headSHA}, "Bitbucket Pipelines", headSHA + "^1", "", false},
		{"a Forgejo pull request", map[string]string{"GITHUB_ACTIONS": "true", "FORGEJO_ACTIONS": "true", "GITHUB_SHA": headSHA, "GITHUB_BASE_REF": "main"},
			"Gitea or Forgejo Actions", "origin/main", "", true},
		{"a Gitea push", map[string]string{"GITHUB_ACTIONS": "true", "GITEA_ACTIONS": "true", "GITHUB_SHA": headSHA}, "Gitea or Forgejo Actions", headSHA + "^1", "", false},
		{"a Jenkins pull request", map[string]string{"JENKINS_URL": "https://j", "GIT_COMMIT": headSHA, "CHANGE_ID": "5", "CHANGE_TARGET": "main", "CHANGE_FORK": "them"},
			"Jenkins", "origin/main", "5", true},
		{"a Jenkins push", map[string]string{"JENKINS_URL": "https://j", "GIT_COMMIT": headSHA}, "Jenkins", headSHA + "^1", "", false},
		{"a CircleCI pull request", map[string]string{"CIRCLECI": "true", "CIRCLE_SHA1": headSHA, "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/6"},
			"CircleCI", "origin/HEAD origin/main origin/master", "6", false},
		{"a CircleCI push", map[string]string{"CIRCLECI": "true", "CIRCLE_SHA1": headSHA}, "CircleCI", headSHA + "^1", "", false},
		{"a Woodpecker pull request", map[string]string{"CI": "woodpecker", "CI_COMMIT_SHA": headSHA, "CI_COMMIT_PULL_REQUEST": "8", "CI_COMMIT_TARGET_BRANCH": "main"},
			"Woodpecker", "origin/main", "8", true},
		{"a Woodpecker push", map[string]string{"CI": "woodpecker", "CI_COMMIT_SHA": headSHA, "CI_PREV_COMMIT_SHA": baseSHA}, "Woodpecker", baseSHA + " " + headSHA + "^1", "", false},
		{"a Drone pull request", map[string]string{"DRONE": "true", "DRONE_COMMIT_SHA": headSHA, "DRONE_PULL_REQUEST": "8", "DRONE_TARGET_BRANCH": "main"}, "Drone", "origin/main", "8", true},
		{"a Drone push to a new branch", map[string]string{"DRONE": "true", "DRONE_COMMIT_SHA": headSHA, "DRONE_COMMIT_BEFORE": zeros}, "Drone", headSHA + "^1", "", false},
		{"a Buildkite pull request", map[string]string{"BUILDKITE": "true", "BUILDKITE_COMMIT": headSHA, "BUILDKITE_PULL_REQUEST": "8", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
			"BUILDKITE_PULL_REQUEST_REPO": "https://github.com/o/r.git", "BUILDKITE_REPO": "git@github.com:o/r.git"}, "Buildkite", "origin/main", "8", false},
		{"a fork's on Buildkite", map[string]string{"BUILDKITE": "true", "BUILDKITE_COMMIT": headSHA, "BUILDKITE_PULL_REQUEST": "8", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main",
			"BUILDKITE_PULL_REQUEST_REPO": "git://github.com/them/r.git", "BUILDKITE_REPO": "git@github.com:o/r.git"}, "Buildkite", "origin/main", "8", true},
		{"a Buildkite push", map[string]string{"BUILDKITE": "true", "BUILDKITE_COMMIT": headSHA, "BUILDKITE_PULL_REQUEST": "false"}, "Buildkite", headSHA + "^1", "", false},
	} {
		got, err := Detect(func(name string) string { return tc.env[name] })
		if err != nil || got.System != tc.system || strings.Join(got.Bases, " ") != tc.bases || got.Head != headSHA || got.Number != tc.number || got.Fork != tc.fork {
			t.Errorf("%s: %+v, %v", tc.title, got, err)
		}
	}
}

// What is no job of theirs, GitHub's own among it, and a job that names no commit, are errors; a
// revision is never an option of git's.
func TestDetectRefuses(t *testing.T) {
	for _, env := range []map[string]string{
		{}, {"GITHUB_ACTIONS": "true", "GITHUB_SHA": headSHA}, {"GITLAB_CI": "true"}, {"TF_BUILD": "True"},
		{"BITBUCKET_BUILD_NUMBER": "3", "BITBUCKET_COMMIT": "--output=x"}, {"GITLAB_CI": "true", "CI_COMMIT_SHA": zeros},
	} {
		if got, err := Detect(func(name string) string { return env[name] }); err == nil {
			t.Errorf("%v: %+v", env, got)
		}
	}
	env := map[string]string{"BITBUCKET_BUILD_NUMBER": "3", "BITBUCKET_COMMIT": headSHA, "BITBUCKET_PR_ID": "4", "BITBUCKET_PR_DESTINATION_COMMIT": "--help"}
	if got, err := Detect(func(name string) string { return env[name] }); err != nil || fmt.Sprint(got.Bases) != "[]" {
		t.Errorf("%+v, %v", got, err)
	}
}
