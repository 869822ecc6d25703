# make demo and make test are the two commands; CI runs both, then make test-full (.ci/run).
# Needs Go, gcc (for the race detector) and git; every other tool is a module.

GO         ?= go
VERSION    ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
FUZZTIME   ?= 10s
ACTIONLINT ?= github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GOVULNCHECK ?= golang.org/x/vuln/cmd/govulncheck@v1.9.0
IMAGE      ?= kubesettle
SUDO       ?= $(shell [ "$$(id -u)" = 0 ] || command -v sudo)

GODIRS      = arch_test.go cmd policies render report testdata tools verify
CONFORMANCE = verify/conformance
RELEASE     = cmd/release
# What shows the binary to corpora; a module of its own, run from the root.
MEASURE     = bin/measure
# Packages with tests that -short shortens or leaves out; arch_test.go keeps the list complete.
LONG        = ./cmd/kubesettle ./verify ./verify/search ./verify/traffic
# Packages that start goroutines, with the one whose tests run everything together; house_test.go keeps the list complete.
# Of verify's tests those that run several searches at once: the others take a quarter of an hour under the detector.
RACED = ./cmd/kubesettle ./render ./render/fetch ./render/side ./render/typed ./render/worker ./verify/run ./verify/scenario ./verify/search
ATONCE = TestAnyNumberOfWorkersGivesTheSameBytes|TestRunsAreTheSameForAnyWorkers|TestScripts/edge
CORPUSBIN  ?= $(CURDIR)/bin/corpus

.PHONY: build
build: ## the static binary bin/kubesettle
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/kubesettle ./cmd/kubesettle

.PHONY: demo
demo: build bin/measure ## a pull request that must not be merged, and what kubesettle says of it
	@$(MEASURE) demo -out out

.PHONY: readme
readme: build bin/measure ## the demo's finding into the README
	@$(MEASURE) demo -out out -rewrite

.PHONY: pictures
pictures: build bin/measure ## the demo's comment, summary, report and terminal as PNG into docs/images; needs node and Chromium
	@[ -n "$(CHROMIUM)" ] || { echo "chromium is not installed (Debian: apt-get install chromium)"; exit 1; }
	@$(MEASURE) demo -out out -pictures docs/images -chromium $(CHROMIUM)

.PHONY: check-pictures
check-pictures: build bin/measure ## that the pictures in docs/images are of what this commit shows
	@$(MEASURE) demo -out out -pictures docs/images >/dev/null

CHARTS ?= charts

.PHONY: false-alarms
false-alarms: build bin/measure ## what kubesettle finds in the charts of folder CHARTS with their default values
	@$(MEASURE) false-alarms $(CHARTS)

N ?= 20

.PHONY: pull-requests
pull-requests: build bin/measure ## the last N commits of each repository of folder DIR, as pull requests with nothing declared; OUT=FOLDER keeps the results and is taken up again
	@[ -d "$(DIR)" ] || { echo "give a folder of clones or bare repositories: make pull-requests DIR=FOLDER [N=$(N)] [OUT=FOLDER]"; exit 2; }
	@GOBIN=$(CORPUSBIN) $(GO) install helm.sh/helm/v3/cmd/helm@v3.21.4
	@GOBIN=$(CORPUSBIN) $(GO) install sigs.k8s.io/kustomize/kustomize/v5@v5.8.1
	@$(MEASURE) pull-requests -n $(N) $(if $(OUT),-out $(OUT)) \
		-helm $(CORPUSBIN)/helm -kustomize $(CORPUSBIN)/kustomize $(DIR)

LIST ?= testdata/mends/history.tsv

.PHONY: mends
mends: build bin/measure ## the mistakes that the projects of LIST made and fixed, made again: which are reported; DIR holds their clones
	@[ -d "$(DIR)" ] || { echo "give a folder of clones: make mends DIR=FOLDER"; exit 2; }
	@$(MEASURE) mends -list $(LIST) $(DIR)

.PHONY: planted
planted: build bin/measure ## mistakes planted into the charts and overlays of the clones in folder DIR: which are reported, and where
	@[ -d "$(DIR)" ] || { echo "give a folder of clones: make planted DIR=FOLDER"; exit 2; }
	@$(MEASURE) planted $(DIR)

.PHONY: ladder
ladder: build bin/measure ## ordinary applications of every size, shape and change into verify/COST.md; ARGS=-quick for a few
	@$(MEASURE) ladder $(if $(ARGS),$(ARGS),-page verify/COST.md)

.PHONY: words
words: bin/measure ## how often patterns of English are used that the manual avoids; ARGS=-v lists every place
	@$(MEASURE) words $(ARGS)

.PHONY: bin/measure
bin/measure:
	@cd tools && $(GO) build -o $(CURDIR)/bin/measure .

.PHONY: test
test: check-format ## gofmt, vet and the quick tests, in five minutes
	$(GO) vet ./...
	$(GO) test -short -vet=off -timeout 20m ./...
	cd tools && $(GO) vet ./... && $(GO) test ./...

.PHONY: test-full
test-full: check-format ## what make test leaves out: staticcheck, the race detector, long tests, upstream's code, releases
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	cd tools && $(GO) tool -modfile=../go.mod staticcheck ./...
	CGO_ENABLED=1 $(GO) test -race -short -vet=off -timeout 60m $(RACED)
	CGO_ENABLED=1 $(GO) test -race -short -vet=off -timeout 60m ./verify -run '$(ATONCE)'
	$(GO) test -vet=off -timeout 45m $(LONG)
	@$(MAKE) --no-print-directory check-pictures conformance release-tools

.PHONY: check-format
check-format:
	@unformatted=$$(gofmt -l $(GODIRS)); if [ -n "$$unformatted" ]; then \
		echo "gofmt -w is needed for:"; echo "$$unformatted"; exit 1; fi

.PHONY: conformance
conformance: ## models against upstream's own code; modules of their own
	cd $(CONFORMANCE) && $(GO) vet ./... && $(GO) test ./...
	cd $(CONFORMANCE)/rollouts && $(GO) vet ./... && $(GO) test ./...
	cd $(CONFORMANCE)/kueue && $(GO) vet ./... && $(GO) test ./...
	cd $(CONFORMANCE)/networkpolicies && $(GO) vet ./... && $(GO) test ./...
	cd $(CONFORMANCE)/cilium && $(GO) vet ./... && $(GO) test ./...
	cd $(CONFORMANCE)/helm4 && $(GO) vet ./... && $(GO) test ./...

.PHONY: vulnerabilities
vulnerabilities: ## known vulnerabilities in what the code calls; needs the network
	$(GO) run $(GOVULNCHECK) ./...
	cd $(RELEASE) && $(GO) run $(GOVULNCHECK) ./...

.PHONY: release-tools
release-tools: ## what makes releases, with its tests: of them one runs the image; a module of its own
	cd $(RELEASE) && $(GO) vet ./... && $(GO) test ./...

PLATFORMS ?=
DIST      ?= dist
# What an image needs.
LINUX      = linux/amd64,linux/arm64

.PHONY: dist
dist: bin/release ## binaries for Linux, macOS and Windows with manual pages, completion, checksums and bills of materials
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) bin/release dist --version $(VERSION) --dist $(DIST) --platforms "$(PLATFORMS)"

.PHONY: image
image: ## the OCI images dist/image/action and cli for linux/amd64 and arm64, without a Docker engine
	@$(MAKE) --no-print-directory dist PLATFORMS=$(LINUX)
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) bin/release image --version $(VERSION) --dist $(DIST)

.PHONY: image-run
image-run: ## the image that make image made, run: unpacked, in a chroot, as root
	cd $(RELEASE) && $(GO) test -c -o $(CURDIR)/bin/release.test .
	cd $(RELEASE) && $(SUDO) env "PATH=$$PATH" KUBESETTLE_DIST=$(abspath $(DIST)) $(CURDIR)/bin/release.test -test.run TheImageRuns -test.v

.PHONY: bin/release
bin/release:
	cd $(RELEASE) && $(GO) build -o $(CURDIR)/bin/release .

.PHONY: pairs-nightly
pairs-nightly: ## the properties of verdicts on 10,000 random pairs of base and head
	go test ./verify -run VerdictsAreMonotone -pairs 10000 -timeout 3h -v

.PHONY: lumps-nightly
lumps-nightly: ## searches with pods lumped, workloads apart, or all reductions, and without, on 2,000 random clusters of 6 to 10 pods; all kept verdicts
	go test ./verify -run '(LumpsKeep|ApartKeeps|EndsKeep|ReductionsKeep)Findings$$|KeptVerdicts|Recall' -clusters 2000 -timeout 12h -v

.PHONY: conformance-nightly
conformance-nightly: ## the same on ten to fifty times as many clusters
	cd $(CONFORMANCE) && SCHEDULER_PAIRS=1000000 LOOPS_PERCENT=1000 DESCHEDULER_CASES=4000 $(GO) test -count=1 -v -timeout 140m .
	cd $(CONFORMANCE)/cilium && $(GO) vet -tags agent . && $(GO) test -count=1 -tags agent -v -timeout 35m . -cases 100000

CONTROLPLANE ?= $(CURDIR)/bin/controlplane

.PHONY: controlplane
controlplane: ## etcd, API server, controller manager, scheduler and descheduler in one binary, from their modules
	cd $(CONFORMANCE) && $(GO) build -tags replay -o $(CONTROLPLANE) ./controlplane

.PHONY: replay
replay: controlplane ## counterexamples on a real control plane; RECORD=1 keeps what was shown
	cd $(CONFORMANCE) && $(GO) vet -tags replay ./... && \
		KUBESETTLE_CONTROLPLANE=$(CONTROLPLANE) $(GO) test -tags replay -count=1 -v -timeout 60m ./replay $(if $(RECORD),-record)

.PHONY: golden
golden: ## rewrite the golden files; read the diff before you commit it
	@set -e; for pkg in $$($(GO) list ./...); do \
		if $(GO) test $$pkg -run '^$$' -rewrite >/dev/null 2>&1; then echo "$$pkg"; $(GO) test $$pkg -rewrite; fi; \
	done

FUZZPACKAGES ?= ./...

.PHONY: fuzz
fuzz: ## every fuzz target of FUZZPACKAGES for FUZZTIME
	@set -e; for pkg in $$($(GO) list $(FUZZPACKAGES)); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$pkg; \
		done; done

.PHONY: hostile
hostile: ## what hostile repositories come to: outcome, time and peak memory of each
	$(GO) test ./cmd/kubesettle -run '^TestHostileRepositories$$' -all-hostile -count=1 -v -timeout 60m

.PHONY: bench
bench: spin ## the tables of verify/COST.md and verify/search/README.md; states per second, bytes per state, all beside SPIN
	$(GO) test -run '^$$' -bench . -benchtime 1x ./verify
	$(GO) test -run '^$$' -bench . -benchmem ./verify/control/... ./verify/search ./verify/scale ./verify/state ./render/...

.PHONY: spin
spin: ## SPIN and gcc, which bench compares with, where Debian's packages can be had
	@{ command -v spin && command -v gcc; } >/dev/null || \
		{ $(SUDO) apt-get update -qq && $(SUDO) apt-get install -qq -y --no-install-recommends spin gcc libc6-dev; } || \
		echo "spin or gcc is not installed (Debian: apt-get install spin gcc): nothing is compared with SPIN"

.PHONY: corpus
corpus: ## the charts and kustomizations below DIR, a folder of checkouts, against helm and kustomize
	@[ -d "$(DIR)" ] || { echo "give a folder of checkouts or bare repositories: make corpus DIR=FOLDER"; exit 2; }
	@GOBIN=$(CORPUSBIN) $(GO) install helm.sh/helm/v3/cmd/helm@v3.21.4
	@GOBIN=$(CORPUSBIN) $(GO) install sigs.k8s.io/kustomize/kustomize/v5@v5.8.1
	$(GO) test ./render -run '^TestCorpus$$' -v -count=1 -timeout 6h -corpus $(abspath $(DIR)) \
		-helm $(CORPUSBIN)/helm -kustomize $(CORPUSBIN)/kustomize

.PHONY: lint
lint: ## the workflows, and those of the manual
	$(GO) run $(ACTIONLINT)
	ACTIONLINT="$(GO) run $(ACTIONLINT)" $(GO) test -count=1 ./cmd/kubesettle -run DocumentedWorkflows

.PHONY: reproducible
reproducible: ## the same binaries, archives and images from two folders, each compiled from nothing
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	for tree in one other; do mkdir "$$dir/$$tree"; git archive HEAD | tar -x -C "$$dir/$$tree"; done; \
	for tree in one other; do \
		(cd "$$dir/$$tree/$(RELEASE)" && $(GO) build -o "$$dir/release" .); \
		(cd "$$dir/$$tree" && export GOCACHE="$$dir/$$tree.cache" && \
			"$$dir/release" dist --version v0.0.0 --platforms linux/amd64,linux/arm64 && "$$dir/release" image --version v0.0.0); done; \
	diff -r "$$dir/one/dist" "$$dir/other/dist"; cat "$$dir"/one/dist/SHA256SUMS "$$dir"/one/dist/image/*.digest

TOOLS    ?= $(CURDIR)/bin/tools
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
MULTITOOL = $(TOOLS)/node_modules/@microsoft/sarif-multitool/bin.js
OPENAPI   = $(TOOLS)/package/generated/api.github.com.json
MERMAID   = $(TOOLS)/package/dist/mermaid.min.js

# No script of a package is run. Octokit publishes GitHub's description of its REST API.
$(MULTITOOL):
	npm install --prefix $(TOOLS) --no-audit --no-fund --ignore-scripts @microsoft/sarif-multitool@5.7.0
	chmod +x $(TOOLS)/node_modules/@microsoft/sarif-multitool-*/Sarif.Multitool*

$(OPENAPI):
	mkdir -p $(TOOLS) && cd $(TOOLS) && npm pack --silent @octokit/openapi@23.0.2 && \
		tar -xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json && rm octokit-openapi-23.0.2.tgz

$(MERMAID):
	mkdir -p $(TOOLS) && cd $(TOOLS) && npm pack --silent mermaid@11.12.0 && \
		tar -xzf mermaid-11.12.0.tgz package/dist/mermaid.min.js && rm mermaid-11.12.0.tgz

.PHONY: tools
tools: node $(MULTITOOL) $(OPENAPI) $(MERMAID) ## what surfaces is held against, from npm

.PHONY: surfaces
surfaces: tools ## what GitHub gets, against what others wrote: Microsoft's SARIF validator, GitHub's API description, Chromium
	@[ -n "$(CHROMIUM)" ] || echo "chromium is not installed (Debian: apt-get install chromium): no page is looked at"
	SARIF_MULTITOOL=$(MULTITOOL) KUBESETTLE_GITHUB_OPENAPI=$(OPENAPI) CHROMIUM=$(CHROMIUM) MERMAID=$(MERMAID) \
		$(GO) test -count=1 ./report/... -run 'Multitool|OpenAPI|Client|Sticky|Review|Browser'

.PHONY: node
node:
	@command -v npm >/dev/null || { echo "npm is not installed: it is needed for the SARIF validator, GitHub's API description and Mermaid"; exit 1; }

.PHONY: docker
docker: ## the action's image
	docker build --build-arg VERSION=$(VERSION) -t $(IMAGE) .

.PHONY: clean
clean:
	rm -rf bin out dist

.PHONY: help
help:
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/'
