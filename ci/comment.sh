#!/usr/bin/env bash
# Writes a Markdown file as a comment under a pull request, by the gh command of the
# hosted runner, or in the place of the last one.
#
#   ci/comment.sh FILE PULL_REQUEST
set -euo pipefail
file=$1 number=$2
[[ -s $file ]] || { echo "ci/comment.sh: $file holds nothing to say" >&2; exit 2; }
[[ $number =~ ^[0-9]+$ ]] || { echo "ci/comment.sh: $number is no number of a pull request" >&2; exit 2; }
${GH:-gh} pr comment "$number" --edit-last --create-if-none --body-file "$file"
