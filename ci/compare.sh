#!/usr/bin/env bash
# Before a merge: runs one script against base and head of a client or a server, and
# compares the two.
#
#   ci/compare.sh SCRIPT OUT
#
# BASE_FLAGS and HEAD_FLAGS are flags of mcpstorm run that differ, such as --policy
# at-most-once; STORM_FLAGS are those of both. For a server under test, BASE_START and
# HEAD_START are commands that serve it on 127.0.0.1:PORT, where PORT is the port of the
# script's url (SERVER_PORT, 8100 by default). FAIL_IF is one budget a line, as
# mcpstorm compare reads it. BASE_MCPSTORM and HEAD_MCPSTORM are commands of either side,
# where the clients of mcpstorm itself are under test. OUT gets base/, head/, compare.md and compare.json. The exit
# code is that of the comparison.
source "$(dirname "$0")/setup.sh"
script=$1 out=$2
mkdir -p "$out"
read -ra both <<<"${STORM_FLAGS:-}"
port=${SERVER_PORT:-8100}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# await asks for the port 300 times, a tenth of a second apart, for as long as the
# server lives.
await() {
	for _ in $(seq 300); do
		listening && return
		kill -0 "$1" 2>/dev/null || { echo "ci/compare.sh: the server ended before it listened on port $port" >&2; exit 2; }
		sleep 0.1
	done
	echo "ci/compare.sh: nothing listens on port $port" >&2
	exit 2
}

# side NAME FLAGS START COMMAND runs one side. A run that finds something has an exit code of
# its own; what counts here is the difference, so only one without a verdict stops.
side() {
	local name=$1 start=$3 server=''
	read -ra own <<<"$2"
	if [[ -n $start ]]; then
		listening && { echo "ci/compare.sh: port $port is taken already" >&2; exit 2; }
		bash -c "exec $start" &
		server=$!
		trap 'kill "$server" 2>/dev/null || true' EXIT
		await "$server"
	fi
	"$4" run "$script" --quiet --dir "$out/$name" "${both[@]}" "${own[@]}" >"$out/$name.txt" || true
	if [[ -n $server ]]; then
		kill "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
		trap - EXIT
	fi
	if [[ ! -f $out/$name/verdict.json ]]; then
		cat "$out/$name.txt"
		echo "ci/compare.sh: $name could not be run" >&2
		exit 2
	fi
}

side base "${BASE_FLAGS:-}" "${BASE_START:-}" "${BASE_MCPSTORM:-$MCPSTORM}"
side head "${HEAD_FLAGS:-}" "${HEAD_START:-}" "${HEAD_MCPSTORM:-$MCPSTORM}"

budgets=()
while IFS= read -r rule; do
	[[ -n $rule ]] && budgets+=(--fail-if "$rule")
done <<<"${FAIL_IF:-}"
"$MCPSTORM" compare "$out/base" "$out/head" "${budgets[@]}" --markdown >"$out/compare.md" || worse $?
"$MCPSTORM" compare "$out/base" "$out/head" "${budgets[@]}" --json >"$out/compare.json" || true # it was said above
cat "$out/compare.md"
cat "$out/compare.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"
