# syntax=docker/dockerfile:1

# Pin the builder by digest where reproducibility matters:
#   docker build --build-arg GO_IMAGE=golang:1.26-bookworm@sha256:…
ARG GO_IMAGE=golang:1.26-bookworm

FROM ${GO_IMAGE} AS build
ARG VERSION=devel
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -buildvcs=false -gcflags=all=-l -gcflags=std= -gcflags=github.com/kubesettle/kubesettle/...= \
    -ldflags="-s -w -buildid= -X main.version=${VERSION}" -o /out/kubesettle ./cmd/kubesettle
RUN mkdir -m 1777 /out/tmp
# The licences of what the binary is linked from, which it has to be given on with.
RUN cd cmd/release && GOOS= GOARCH= go run . notices --src /src --binary /out/kubesettle --version "${VERSION}" \
    --platform "$(go env GOOS)/${TARGETARCH:-$(go env GOARCH)}" --to /out/THIRD_PARTY_NOTICES.txt

FROM scratch AS files
ARG VERSION=devel
LABEL org.opencontainers.image.title="kubesettle" \
      org.opencontainers.image.description="Says whether a cluster will settle after a change" \
      org.opencontainers.image.source="https://github.com/kubesettle/kubesettle" \
      org.opencontainers.image.documentation="https://github.com/kubesettle/kubesettle/blob/main/docs/ci.md" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/tmp /tmp
COPY --from=build /out/kubesettle /usr/local/bin/kubesettle
COPY --from=build /src/LICENSE /usr/share/doc/kubesettle/LICENSE
COPY --from=build /out/THIRD_PARTY_NOTICES.txt /usr/share/doc/kubesettle/THIRD_PARTY_NOTICES.txt
ENTRYPOINT ["/usr/local/bin/kubesettle"]

# docker build --target cli: for other CI systems, where no one demands root.
FROM files AS cli
USER 65532:65532

# The action, and what `docker build` makes by default. It has no USER: GitHub runs a
# Docker action as root, because the workspace and the files behind GITHUB_OUTPUT and
# GITHUB_STEP_SUMMARY belong to the runner's user. The image has no shell and no package;
# the one binary runs nothing that comes from the repository under check.
FROM files AS action
