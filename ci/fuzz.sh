#!/usr/bin/env bash
# Fuzzes every target that parses bytes, one after another, for the time given. With
# --list it names them and fuzzes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
fuzztime=${1:-30s}
for dir in $(grep -rl --include='*_test.go' --exclude-dir=node_modules '^func Fuzz' * | xargs -n1 dirname | sort -u); do
	for target in $(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$dir"/*_test.go | cut -d' ' -f2); do
		echo "$dir $target"
		[[ $fuzztime == --list ]] || go test "./$dir" -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime"
	done
done
