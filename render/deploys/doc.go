// Package deploys reads how a repository deploys where it says so: the calls of helm, kubectl, oc, kustomize and
// helmfile in workflows, pipelines, scripts, Makefiles, Tiltfiles and Skaffold files. They are read as text and never
// run. A variable whose value is not written there is unknown, and stays "${NAME}"; where a path has one, every file of
// the repository that fits is taken. It also finds what changes in programs that are not run, and install something:
// Terraform, Pulumi, cdk8s. The package knows nothing of releases; nothing it returns leaves the repository.
package deploys
