#!/usr/bin/env bash
# Compares two runs of the same thing, TIMES times, and counts the comparisons that find
# a change: at the 95 % level no more than one in ten may, or this fails.
#
#   ci/same.sh [TIMES]
source "$(dirname "$0")/setup.sh"
times=${1:-20} alarms=0
read -ra flags <<<"${STORM_FLAGS:---vus 32}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for n in $(seq "$times"); do
	for side in base head; do
		"$MCPSTORM" run scenarios/user-turns.js --policy at-most-once --seed "$n" --quiet --no-charts --no-reports --no-host-probe \
			--dir "$scratch/$side-$n" "${flags[@]}" >/dev/null || true # this policy fails rollouts, and the same on both sides
	done
	found=$("$MCPSTORM" compare "$scratch/base-$n" "$scratch/head-$n" | head -n 1) || true
	echo "$n: $found"
	[[ $found == 'COMPARE: NO EVIDENCE OF CHANGE' ]] || alarms=$((alarms + 1))
	rm -rf "$scratch/base-$n" "$scratch/head-$n"
done
echo "$alarms of $times comparisons of the same thing found a change"
((alarms * 10 <= times))
