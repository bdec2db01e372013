#!/usr/bin/env bash
# The steps of the action: one run, and the comparison with a baseline where one is
# named. It takes its inputs from SCRIPT, FLAGS, BASELINE, FAIL_IF (one a line) and OUT.
source "$(dirname "$0")/../setup.sh"
out=${OUT:-mcpstorm-out}
mkdir -p "$out"
read -ra flags <<<"${FLAGS:-}"
"$MCPSTORM" run "$SCRIPT" --quiet --dir "$out/run" "${flags[@]}" || worse $?
[[ -f $out/run/verdict.json ]] || exit "$((code ? code : 2))"
cat "$out/run/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
if [[ -n ${BASELINE:-} ]]; then
	budgets=()
	while IFS= read -r rule; do
		[[ -n $rule ]] && budgets+=(--fail-if "$rule")
	done <<<"${FAIL_IF:-}"
	"$MCPSTORM" compare "$BASELINE" "$out/run" "${budgets[@]}" --markdown >"$out/compare.md" || worse $?
	cat "$out/compare.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
exit "$code"
