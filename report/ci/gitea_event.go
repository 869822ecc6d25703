package ci

import (
	"encoding/json"
	"io"
	"os"
	"strings"
)

// mostEvent bounds an event's file, in bytes.
const mostEvent = 16 << 20

// giteaRepo is a repository as an event names it.
type giteaRepo struct {
	ID   int64  `json:"id"`
	Name string `json:"full_name"`
}

// giteaBranch is one side of a pull request; its repository is gone where a fork was deleted.
type giteaBranch struct {
	RepoID int64      `json:"repo_id"`
	Repo   *giteaRepo `json:"repo"`
}

// ownPullRequest reports whether the event that the runner wrote down (GITHUB_EVENT_PATH; Gitea's
// api.PullRequestPayload, which Forgejo has, too) is a pull request of this repository's own branch. That head's
// repository is no fork of another one (head.repo.fork) does not say so: the job's own repository may be one. Where
// anything is missing or does not agree, it is not.
func ownPullRequest(env Getenv) bool {
	f, err := os.Open(env("GITHUB_EVENT_PATH"))
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostEvent+1))
	if err != nil || len(b) > mostEvent {
		return false
	}
	var event struct {
		Pull *struct{ Head, Base *giteaBranch } `json:"pull_request"`
	}
	if json.Unmarshal(b, &event) != nil || event.Pull == nil || event.Pull.Head == nil || event.Pull.Base == nil {
		return false
	}
	head, base := event.Pull.Head, event.Pull.Base
	if head.Repo == nil || base.Repo == nil || base.Repo.ID <= 0 ||
		!strings.EqualFold(base.Repo.Name, env("GITHUB_REPOSITORY")) {
		return false
	}
	return head.Repo.ID == base.Repo.ID && head.RepoID == base.RepoID && strings.EqualFold(head.Repo.Name, base.Repo.Name)
}
