#!/usr/bin/env bash
# What the search on disk and checkpoints cost, and how far they reach; what processes that share a search cost, and what
# that says of many machines: writes SCALE.md.
#
#     benches/scale.sh [BINARY]      by default the release build
#
# Times are CPU times (user and system) of a complete search in one thread, so that figures from a busy machine can be
# judged. Needs the public models beside the project, and room for the states below TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=${1:-target/release/highwater}
models=${MODELS:-../shared/models/promela}
limits=${LIMITS:-"beem/szymanski.3.pm beem/rether.3.pm peterson4.pml"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Where a model is. As published, Peterson's algorithm is for five processes, and has too many states.
sed 's/^#define N.*/#define N 4/' "$models/spin-distribution/LTL/petersonN.pml" >"$work/peterson4.pml" || true
place() { case $1 in /*) echo "$1" ;; peterson4.pml) echo "$work/$1" ;; *) echo "$models/$1" ;; esac; }

# Searches a model: verdict, states, bytes of memory, CPU seconds.
search() {
    local TIMEFORMAT='%U %S' model=$1
    shift
    { time "$binary" check "$model" --engine explore -p safety,deadlock --keep-going --reduction none --jobs 1 \
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
    model=$(place "$model")
    [ -s "$model" ] || continue
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
    limit=$((memory / 14 / 1048576 + 20))
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

# --- several processes --------------------------------------------------------------------------------

shared=${SHARED:-"beem/adding.3.pm beem/at.3.pm beem/brp.3.pm beem/fischer.3.pm beem/iprotocol.3.pm beem/szymanski.3.pm peterson4.pml"}
export HIGHWATER_CLUSTER_KEY=bench

# Searches with a number of processes: states, transitions, layers, CPU seconds of all, bytes over the loopback interface.
share() {
    local TIMEFORMAT='%U %S' before after
    local check=(check "$2" --engine explore -p safety,deadlock --keep-going --reduction none --timeout none --memory none
        --format json)
    before=$(awk '/lo:/ { print $10 }' /proc/net/dev)
    if [ "$1" = 1 ]; then
        { time "$binary" "${check[@]}" --jobs 1 >"$work/out" 2>"$work/err" || true; } 2>"$work/time"
    else
        { time "$binary" cluster run -n "$1" -- "${check[@]}" >"$work/out" 2>"$work/err" || true; } 2>"$work/time"
    fi
    after=$(awk '/lo:/ { print $10 }' /proc/net/dev)
    states=$(grep -o '"states":[0-9]*' "$work/out" | head -1 | cut -d: -f2)
    transitions=$(grep -o '"transitions":[0-9]*' "$work/out" | head -1 | cut -d: -f2)
    layers=$(grep -o '"depth":[0-9]*' "$work/out" | head -1 | cut -d: -f2)
    seconds=$(awk '{ print $1 + $2 }' "$work/time")
    sent=$((after - before))
}

# A chain of states, one in each layer: what a layer costs by itself.
printf 'int x; active proctype P() { do :: x < 1000 -> x = x + 1 :: else -> break od }\n' >"$work/chain.pml"
share 1 "$work/chain.pml"
base=$seconds
layer() { share "$1" "$work/chain.pml"; calculate "($seconds - $base) * 1000000 / $layers / $1" 1; }
layer2=$(layer 2) layer4=$(layer 4)

: >"$work/clusters"
: >"$work/costs"
for model in $shared; do
    model=$(place "$model")
    [ -s "$model" ] || continue
    share 1 "$model"
    alone=$seconds whole=$states
    row="| $(basename "$model") | $states | $transitions | $layers | $alone |"
    for n in 2 4; do
        share "$n" "$model"
        [ "$states" = "$whole" ] || { echo "$model: other states with $n processes" >&2; exit 1; }
        remote=$((transitions * (n - 1) / n))
        own=$(calculate "($n == 2 ? $layer2 : $layer4) * $layers * $n / 1000000" 3)
        extra=$(calculate "($seconds - $alone - $own) * 1000000000 / $remote" 0)
        row+=" $seconds | $(calculate "$alone / ($seconds / $n)" 2)× | $extra | $(calculate "$sent / $remote" 1) |"
        echo "$(calculate "$alone * 1000000000 / $states" 0) $extra $(calculate "$sent / $remote" 2)" \
            "$(calculate "$transitions / $states" 2)" >>"$work/costs"
    done
    echo "$row" | tee -a "$work/clusters"
done

# Means of what was measured, and the time of a search on many machines that follows from them.
extrapolate() {
    awk -v l2="$layer2" -v l4="$layer4" '
        { state += $1; send += $2; bytes += $3; steps += $4; n += 1 }
        END {
            state /= n; send /= n; bytes /= n; steps /= n
            step = (l4 - l2) / 2; if (step < 0) step = 0
            printf "A state takes %.0f ns, and has %.1f successors; one that is sent takes %.0f ns more and %.1f bytes;", state, steps, send, bytes
            printf " a layer takes %.1f µs in each of two processes, and %.1f µs more for each process more.\n\n", l2, step
            print "| machines | 10⁸ states, s | against one | 10¹⁰ states, s | against one | of it sending | of it the network | of it waiting for layers |"
            print "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
            for (m = 4; m <= 1024; m *= 4) {
                row = sprintf("| %d |", m)
                for (size = 1e8; size <= 1e10; size *= 100) {
                    remote = steps * (m - 1) / m * size / m
                    cpu = size / m * state / 1e9; sending = remote * send / 1e9; wire = remote * bytes / 1.25e9
                    waiting = 300 * (200 + l2 + step * (m - 2)) / 1e6
                    total = cpu + sending + wire + waiting
                    row = row sprintf(" %.1f | %.0f× |", total, size * state / 1e9 / total)
                }
                print row sprintf(" %.0f %% | %.0f %% | %.0f %% |", 100 * sending / total, 100 * wire / total, 100 * waiting / total)
            }
        }' "$work/costs"
}

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
    echo
    echo "# Several processes"
    echo
    echo "The same searches by processes that share them on this machine. Times are CPU times of all processes together; *speed* is"
    echo "what follows where each process has a core of its own. *ns* and *bytes* are the CPU time and the bytes over the"
    echo "loopback interface, acknowledgements included, for each successor that another process owns."
    echo
    echo "| model | states | transitions | layers | one process, s | two, s | speed | ns | bytes | four, s | speed | ns | bytes |"
    echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    cat "$work/clusters"
    echo
    echo "## Many machines, calculated"
    echo
    echo "Not measured, but calculated from the means of the table above, for one process on each machine, 10 Gbit/s from each machine into a"
    echo "switch that is not the limit, 200 µs until all machines know that a layer is complete, 300 layers, and states that"
    echo "are spread evenly."
    echo
    extrapolate
} >benches/SCALE.md
