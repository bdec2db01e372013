# What the scripts of this folder share: they find the repository, and a command to
# run. MCPSTORM names one that is built already; without, it is built from here.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
if [[ -z ${MCPSTORM:-} ]]; then
	(cd "$repository" && go build ${BUILD_FLAGS:-} -o bin/mcpstorm ./cmd/mcpstorm)
	MCPSTORM=$repository/bin/mcpstorm
fi

# nights runs the keeper of the nightly history.
nights() {
	if [[ -n ${NIGHTS:-} ]]; then
		"$NIGHTS" "$@"
	else
		(cd "$repository" && go build -o bin/nights ./ci/nights)
		"$repository/bin/nights" "$@"
	fi
}

# worse keeps the exit code that counts most: 1 is a finding, and beats every other.
code=0
worse() { if [[ $1 -eq 1 || $code -eq 0 ]]; then code=$1; fi; }
