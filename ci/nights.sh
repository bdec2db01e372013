#!/usr/bin/env bash
# The end of a night: adds the cells of this night to the history of all nights, and
# draws the last thirty.
#
#   ci/nights.sh HISTORY OUT NIGHT…
#
# HISTORY is a file that grows; it is made where there is none. Each NIGHT is a
# night.ndjson of ci/nightly.sh. OUT gets nights.ndjson, nights.png and nights.svg.
source "$(dirname "$0")/setup.sh"
history=$1 out=$2
shift 2
mkdir -p "$out" "$(dirname "$history")"
touch "$history"
cat "$@" >>"$history"
nights -draw "$out" "$history"
cp "$history" "$out/nights.ndjson"
