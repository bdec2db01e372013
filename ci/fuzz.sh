#!/usr/bin/env bash
# Fuzzes every target that parses bytes, one after another, for the time given.
set -euo pipefail
cd "$(dirname "$0")/.."
fuzztime=${1:-30s}
for dir in $(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do
	for target in $(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$dir"/*_test.go | cut -d' ' -f2); do
		echo "$dir $target"
		go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime"
	done
done
