package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	api "github.com/google/go-github/v62/github"
)

// Sentinels of a GitHub run.
var (
	// ErrEvent says that a payload cannot be read or lacks what its event promises.
	ErrEvent = errors.New("unusable event")
	// ErrUnsafeEvent says that an event has a privileged token and the analysed tree
	// comes from a fork.
	ErrUnsafeEvent = errors.New("unsafe event")
	// ErrStaleMerge says that the checked-out commit is not the one of the event.
	ErrStaleMerge = errors.New("stale merge ref")
)

// Event is GitHub's description of the event of a run.
type Event struct {
	Name       string // such as "pull_request"
	Repository string // owner/name
	// Number of the pull request, 0 where there is none.
	Number int
	// HeadSHA is the commit that the event names: the pull request's head, not its merge.
	HeadSHA string
	// HeadRef is the pull request's branch, for words only; BaseRef the branch it goes to.
	HeadRef, BaseRef string
	// HeadOwner owns the head's repository, RunID and Attempt are those of the run that
	// ended: of a workflow_run only.
	HeadOwner string
	RunID     int64
	Attempt   int
	// BaseSHA is set where the payload's can be trusted: merge_group and push.
	BaseSHA string
	// Fork says that the head is in another repository, or in one that is gone.
	Fork bool
	// Gone says that a push deleted its branch.
	Gone bool
}

// Privileged reports whether the event runs with the base repository's token and secrets
// whoever wrote the head.
func (e *Event) Privileged() bool {
	return e.Name == "pull_request_target" || e.Name == "workflow_run"
}

// Guard refuses a fork's tree under a privileged token.
// Errors: [ErrUnsafeEvent].
func (e *Event) Guard(allow bool) error {
	if !e.Privileged() || !e.Fork || allow {
		return nil
	}
	return fmt.Errorf("%w: %s runs with this repository's token and secrets, and its head comes from a fork: "+
		"use 'on: pull_request' (it needs no write permission), or set allow-untrusted-privileged: true if you know why this is safe", ErrUnsafeEvent, e.Name)
}

// PullRequest reports whether there is a pull request to comment on.
func (e *Event) PullRequest() bool { return e.Number > 0 }

const zeroSHA = "0000000000000000000000000000000000000000"

// ParseEvent reads an event's payload. Events without a payload (schedule, workflow_dispatch and others) are about the
// commit that is checked out. Errors: [ErrEvent].
func ParseEvent(name, repository string, payload []byte) (*Event, error) {
	e := &Event{Name: name, Repository: repository}
	var err error
	switch name {
	case "":
		return nil, fmt.Errorf("%w: GITHUB_EVENT_NAME is not set: 'kubesettle action' runs in GitHub Actions; elsewhere use 'kubesettle check'", ErrEvent)
	case "pull_request", "pull_request_target", "pull_request_review":
		err = e.pullRequest(payload)
	case "merge_group":
		err = e.mergeGroup(payload)
	case "push":
		err = e.push(payload)
	case "workflow_run":
		err = e.workflowRun(payload)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrEvent, name, err)
	}
	return e, nil
}

func (e *Event) pullRequest(payload []byte) error {
	var p api.PullRequestEvent
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	pr := p.GetPullRequest()
	e.Number = pr.GetNumber()
	e.HeadSHA, e.HeadRef, e.BaseRef = pr.GetHead().GetSHA(), pr.GetHead().GetRef(), pr.GetBase().GetRef()
	home := pr.GetBase().GetRepo().GetFullName()
	e.Fork = home == "" || !strings.EqualFold(pr.GetHead().GetRepo().GetFullName(), home)
	switch {
	case e.Number <= 0:
		return errors.New("the payload has no pull_request.number")
	case !isSHA(e.HeadSHA):
		return errors.New("the payload has no pull_request.head.sha")
	case e.BaseRef == "":
		return errors.New("the payload has no pull_request.base.ref")
	}
	return nil
}

func (e *Event) mergeGroup(payload []byte) error {
	var p api.MergeGroupEvent
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	g := p.GetMergeGroup()
	e.BaseSHA, e.HeadSHA = g.GetBaseSHA(), g.GetHeadSHA()
	e.BaseRef = strings.TrimPrefix(g.GetBaseRef(), "refs/heads/")
	if !isSHA(e.BaseSHA) || !isSHA(e.HeadSHA) {
		return errors.New("the payload has no merge_group.base_sha and head_sha")
	}
	return nil
}

func (e *Event) push(payload []byte) error {
	var p api.PushEvent
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	e.BaseSHA, e.HeadSHA = p.GetBefore(), p.GetAfter()
	e.HeadRef = strings.TrimPrefix(strings.TrimPrefix(p.GetRef(), "refs/heads/"), "refs/tags/")
	e.Gone = p.GetDeleted() || e.HeadSHA == zeroSHA
	if e.BaseSHA == zeroSHA {
		e.BaseSHA = "" // a new branch or tag: there is nothing before it
	}
	if !isSHA(e.HeadSHA) || e.BaseSHA != "" && !isSHA(e.BaseSHA) {
		return errors.New("the payload has no before and after")
	}
	return nil
}

func (e *Event) workflowRun(payload []byte) error {
	var p api.WorkflowRunEvent
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	run := p.GetWorkflowRun()
	if !isSHA(run.GetHeadSHA()) {
		return errors.New("the payload has no workflow_run.head_sha")
	}
	e.HeadSHA, e.HeadRef = run.GetHeadSHA(), run.GetHeadBranch()
	e.HeadOwner, e.RunID, e.Attempt = run.GetHeadRepository().GetOwner().GetLogin(), run.GetID(), run.GetRunAttempt()
	e.Fork = !strings.EqualFold(run.GetHeadRepository().GetFullName(), p.GetRepo().GetFullName())
	if prs := run.PullRequests; len(prs) == 1 && !e.Fork {
		e.Number, e.BaseRef = prs[0].GetNumber(), prs[0].GetBase().GetRef()
	}
	return nil
}

// isSHA reports whether s is a full hash, SHA-1 or SHA-256.
func isSHA(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}
