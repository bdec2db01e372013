#!/usr/bin/env bash
# One cell of the nightly matrix: runs a scenario in an era, compares it with the
# baseline where there is one, and leaves everything in a folder.
#
#   ci/nightly.sh SCENARIO ERA OUT
#
# SCENARIO is a name such as user-turns; STORM_FLAGS are more flags of mcpstorm run
# (default: --vus 64, which is what the baselines were made with), and BASELINES is a
# folder of others than ci/baselines. OUT gets run/, compare.md, compare.json and night.ndjson. The exit code is that of the run, or 1
# where a rate is worse than the baseline's.
source "$(dirname "$0")/setup.sh"
scenario=$1 era=$2 out=$3
mkdir -p "$out"
read -ra flags <<<"${STORM_FLAGS:---vus 64}"

"$MCPSTORM" run "scenarios/$scenario.js" --era "$era" --quiet --dir "$out/run" "${flags[@]}" || worse $?
if [[ ! -f $out/run/verdict.json ]]; then
	echo "ci/nightly.sh: $scenario in $era could not be run" >&2
	exit "$((code ? code : 2))"
fi

baseline=${BASELINES:-$repository/ci/baselines}/$scenario-$era.json
if [[ -f $baseline ]]; then
	"$MCPSTORM" compare "$baseline" "$out/run" --markdown >"$out/compare.md" || worse $?
	"$MCPSTORM" compare "$baseline" "$out/run" --json >"$out/compare.json" || true # it was said above
else
	echo "No baseline for $scenario in $era: ci/baselines.sh makes one." >"$out/compare.md"
	echo '{"conclusion": "no baseline"}' >"$out/compare.json"
fi
nights -add "$out/run" -scenario "$scenario" -era "$era" >"$out/night.ndjson"
cat "$out/run/summary.md" "$out/compare.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"
