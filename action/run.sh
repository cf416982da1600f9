#!/usr/bin/env bash
# The step of the action: `check` with annotations, or `test` where no model is named. The exit code is that of highwater.
set -uo pipefail
# Words on any number of lines; `read` ends with an error where there is no end mark.
read -r -d '' -a models <<<"${MODELS:-}" || true
read -r -d '' -a options <<<"${OPTIONS:-}" || true
code=0
if [ ${#models[@]} -eq 0 ]; then
    highwater test "${FOLDER:-.}" || code=$?
else
    report=()
    if [ -n "${REPORT:-}" ]; then report=(--output "html=$REPORT"); fi
    highwater check "${models[@]}" "${options[@]+"${options[@]}"}" --format github "${report[@]+"${report[@]}"}" || code=$?
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$code" >>"$GITHUB_OUTPUT"; fi
exit "$code"
