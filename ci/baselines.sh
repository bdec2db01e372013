#!/usr/bin/env bash
# Makes the baselines anew, from this commit and on this host, which both stand in
# them. Only runs that pass become one, and only of a commit as it is.
#
#   ci/baselines.sh [SCENARIO-ERA…]
#
# Without arguments it renews those that are there.
BUILD_FLAGS=-buildvcs=true # or the commit is not known
source "$(dirname "$0")/setup.sh"
if "$MCPSTORM" version | grep -qv '([0-9a-f]*)'; then
	"$MCPSTORM" version
	echo "ci/baselines.sh: a baseline names the commit that it came from: commit first" >&2
	exit 1
fi
read -ra flags <<<"${STORM_FLAGS:---vus 64}"
folder=$repository/ci/baselines
if [[ $# -eq 0 ]]; then
	for file in "$folder"/*.json; do set -- "$@" "$(basename "$file" .json)"; done
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in "$@"; do
	era=${name: -10} scenario=${name%-????-??-??}
	"$MCPSTORM" run "scenarios/$scenario.js" --era "$era" --quiet --no-charts --dir "$scratch/$name" "${flags[@]}" >"$scratch/$name.txt" ||
		{ cat "$scratch/$name.txt"; echo "ci/baselines.sh: $name does not pass" >&2; exit 1; }
	"$MCPSTORM" compare "$scratch/$name" --save "$folder/$name.json"
	echo "$folder/$name.json"
done
