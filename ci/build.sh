#!/usr/bin/env bash
# Builds the command from a checkout of this repository.
#
#   ci/build.sh TREE COMMAND
set -euo pipefail
tree=$1 command=$2
mkdir -p "$(dirname "$command")"
command=$(cd "$(dirname "$command")" && pwd)/$(basename "$command")
cd "$tree"
go build -o "$command" ./cmd/mcpstorm
