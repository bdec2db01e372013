#!/usr/bin/env bash
# Takes the pictures in docs/: of the reports of three small runs, one of each verdict,
# as a desk and as a phone see them. It wants chromium and fonts-liberation.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/mcpstorm" ./cmd/mcpstorm
go build -o "$dir/screenshots" ./ci/browser/screenshots
cd "$dir"

# leave CODE NAME FLAG… makes a run that must end so.
leave() {
	local want=$1 name=$2 code=0
	shift 2
	./mcpstorm run scenarios/user-turns.js --quiet --no-host-probe --vus 64 --dir "runs/$name" "$@" >"$name.log" 2>&1 || code=$?
	[ "$code" = "$want" ] || { cat "$name.log" >&2; echo "screenshots: run $name ended with $code, want $want" >&2; exit 1; }
}
leave 0 pass
leave 1 fail --bug FM-01
leave 2 inconclusive --bypass-faults

./screenshots -out "$root/docs" -most 2600 runs/pass=report-pass runs/fail=report-fail runs/inconclusive=report-inconclusive
