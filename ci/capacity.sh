#!/usr/bin/env bash
# Searches for limits that are known: reference servers that take so many requests at
# once. Each must be found within 5 %.
#
#   ci/capacity.sh [LIMIT…]
source "$(dirname "$0")/setup.sh"
[[ $# -gt 0 ]] || set -- 20 48 100
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for limit in "$@"; do
	"$MCPSTORM" capacity "$repository/xk6-mcp/run/capacity/testdata/admit.js" -e "ADMIT=$limit" -e LATENCY=1s -e CALLS=1 \
		--objective 'failed<10%' --from 16 --to 256 --dir "$scratch/$limit" ${CAPACITY_FLAGS:-}
	found=$(grep -o '"capacity": [0-9]*' "$scratch/$limit/capacity.json" | head -n 1 | grep -o '[0-9]*')
	echo "limit $limit: found $found"
	off=$((found > limit ? found - limit : limit - found))
	((off * 20 <= limit)) || { echo "ci/capacity.sh: $found is not within 5 % of $limit" >&2; worse 1; }
done
exit "$code"
