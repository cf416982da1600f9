#!/usr/bin/env bash
# What the search on disk and checkpoints cost, and how far they reach: writes SCALE.md.
#
#     benches/scale.sh [BINARY]      by default the release build
#
# Times are CPU times (user and system) of a complete search in one thread, so that figures from a busy machine can be
# judged. Needs the public models beside the project, and room for the states below TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:-target/release/highwater}
models=${MODELS:-../shared/models/promela}
limits=${LIMITS:-"beem/telephony.3.pm beem/szymanski.3.pm beem/mcs.3.pm beem/rether.3.pm"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Searches a model: verdict, states, bytes of memory, CPU seconds.
search() {
    local TIMEFORMAT='%U %S' model=$1
    shift
    { time "$binary" check "$models/$model" --engine explore -p safety,deadlock --keep-going --reduction none --jobs 1 \
        --timeout none --format json "$@" >"$work/out" 2>"$work/err" || true; } 2>"$work/time"
    # After reading, the first number of each kind is that of the search.
    states=$(grep -o '"states":[0-9]*' "$work/out" | head -1 | cut -d: -f2 || true)
    bytes=$(grep -o '"memory_bytes":[0-9]*' "$work/out" | head -1 | cut -d: -f2 || true)
    reason=$(grep -o '"reason":"[a-z-]*"' "$work/out" | head -1 | cut -d'"' -f4 || true)
    digest=$(grep -o '"digest":"[^"]*"' "$work/out" | head -1 || true)
    seconds=$(awk '{ print $1 + $2 }' "$work/time")
}

calculate() { awk "BEGIN { printf \"%.${2:-1}f\", $1 }"; }

: >"$work/rows"
for model in $limits; do
    [ -f "$models/$model" ] || continue
    search "$model" --memory none
    whole=$states memory=$bytes time=$seconds expected=$digest
    search "$model" --memory 4GiB --spill "$work/spill"
    [ "$states $digest" = "$whole $expected" ] || { echo "$model: other states on disk" >&2; exit 1; }
    spilled=$seconds
    search "$model" --memory 4GiB --checkpoint "$work/checkpoint"
    [ "$states $digest" = "$whole $expected" ] || { echo "$model: other states with checkpoints" >&2; exit 1; }
    kept=$seconds disk=$(du -sk "$work/checkpoint" | cut -f1)
    rm -rf "$work/checkpoint"
    # The process itself takes some megabytes.
    limit=$((memory / 10 / 1048576 + 18))
    search "$model" --memory "${limit}MiB"
    fits=$states
    search "$model" --memory "${limit}MiB" --spill "$work/spill"
    if [ "$states $digest" = "$whole $expected" ]; then
        there=$(calculate "$seconds / $time")×
    else
        there="stopped at $states: $reason"
    fi
    echo "| $(basename "$model") | $whole | $time | $((memory / 1048576)) | $(calculate "$spilled / $time")× |" \
        "$(calculate "$kept / $time")× | $((disk / 1024)) | $limit | $fits | $(calculate "$whole / $fits")× |" \
        "$there |" | tee -a "$work/rows"
done

{
    echo "# The search on disk"
    echo
    echo "Measured by \`benches/scale.sh\`: complete searches for safety and deadlock in one thread, with equal counts and"
    echo "digests. Times are CPU times; factors are against the search in memory. In the last four columns, \`--memory\` is so"
    echo "small that a search in memory stops early."
    echo
    echo "| model | states | in memory, s | MiB | \`--spill\` | \`--checkpoint\` | MiB on disk | \`--memory\`, MiB | states that fit | on disk, more states | \`--spill\` there |"
    echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    cat "$work/rows"
} >benches/SCALE.md
