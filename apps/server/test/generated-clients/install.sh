#!/usr/bin/env bash
# Installs the generators of clients in other languages, and what their clients need, for generated-clients.long.test.ts.
# Of each language whose toolchain is here; the test says which are missing.
set -uo pipefail
cd "$(dirname "$0")"
tools="$PWD/../../node_modules/.cache/generated-clients"
mkdir -p "$tools"

python() {
  python3 -m venv "$tools/python" &&
    "$tools/python/bin/pip" install --quiet --disable-pip-version-check --requirement requirements.txt
}
go_modules() {
  go mod download && go build -o "$tools/oapi-codegen" github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
}
java_libraries() {
  command -v javac > /dev/null &&
    mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
      -DoutputDirectory="$tools/java"
}

missing=0
for language in python go_modules java_libraries; do "$language" || missing=1; done
exit "$missing"
