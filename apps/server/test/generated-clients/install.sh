#!/usr/bin/env bash
# Installs the generators of clients in other languages, and what their clients need, for generated-clients.long.test.ts.
# Of each language whose toolchain is here; the test says which are missing.
set -euo pipefail
cd "$(dirname "$0")"
tools="$PWD/../../node_modules/.cache/generated-clients"
mkdir -p "$tools"

if command -v python3 > /dev/null; then
  python3 -m venv "$tools/python"
  "$tools/python/bin/pip" install --quiet --disable-pip-version-check --requirement requirements.txt
fi
if command -v go > /dev/null; then
  go mod download
  go build -o "$tools/oapi-codegen" github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen
fi
if command -v javac > /dev/null && command -v mvn > /dev/null; then
  mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory="$tools/java"
fi
