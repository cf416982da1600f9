#!/usr/bin/env bash
# How long a newcomer waits, how large the binary is, and how fast it searches: writes BUILD.md.
#
#     benches/build.sh [BINARY]      compares the speed of search with another binary
#
# Builds begin with an empty target folder, after `cargo fetch`. The times of builds are wall time and CPU time (user
# and system), so that figures from a busy machine can be judged: on two quiet cores, half of the CPU time is a lower
# estimate of the wall time. The speed is the user time of a complete search in one thread, the binaries in turn.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${ROUNDS:-5}
models=${MODELS:-../shared/models/promela}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
baseline=${1:-}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Wall seconds and CPU seconds of a command.
timed() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$work/out" 2>&1; } 2>"$work/time" || { cat "$work/out" >&2; exit 1; }
    awk '{ printf "%.0f %.0f\n", $1, $2 + $3 }' "$work/time"
}

cargo fetch --locked
: >"$work/builds"
build() {
    local name=$1
    shift
    # The median of several cold builds is wanted on a quiet machine: BUILDS=3.
    for _ in $(seq "${BUILDS:-1}"); do
        rm -rf "$work/target"
        CARGO_TARGET_DIR="$work/target" timed "$@"
    done >"$work/rows"
    echo "| $name | $(cut -d' ' -f1 "$work/rows" | median) s | $(cut -d' ' -f2 "$work/rows" | median) s |" >>"$work/builds"
}

user() {
    local TIMEFORMAT='%U'
    { time "$1" check "$2" --engine explore --reduction none --keep-going --jobs 1 -p safety >/dev/null 2>&1 || true; } 2>&1
}

size() { stat -c %s "$1" 2>/dev/null || stat -f %z "$1"; }

# The page, with what was measured so far.
write() {
    {
        echo "# Build and search times"
        echo
        echo "Written by \`benches/build.sh\` on $(nproc 2>/dev/null || sysctl -n hw.ncpu) cores, load $(uptime | sed 's/.*average[s]*: //') at the end."
        echo
        echo "| from an empty target folder | wall time | CPU time |"
        echo "| --- | ---: | ---: |"
        cat "$work/builds"
        echo
        echo "| binary | size |"
        echo "| --- | ---: |"
        for binary in release dist; do echo "| $binary | $(($(size "$work/$binary") / 1000000)) MB |"; done
        if [ -s "$work/speed" ]; then
            echo
            echo "User time of a complete search (\`--engine explore --reduction none --keep-going --jobs 1\`), median of $rounds:"
            echo
            echo "| model | compared binary | release | dist |"
            echo "| --- | ---: | ---: | ---: |"
            cat "$work/speed"
        fi
    } >benches/BUILD.md
}

build '`cargo build --release`' cargo build --release --locked
cp "$work/target/release/highwater" "$work/release"
build '`cargo build --profile dist`' cargo build --profile dist --locked
cp "$work/target/dist/highwater" "$work/dist"
: >"$work/speed"
for model in beem/telephony.3.pm beem/szymanski.3.pm beem/mcs.3.pm beem/rether.3.pm; do
    [ -f "$models/$model" ] || continue
    rm -f "$work"/t.*
    for _ in $(seq "$rounds"); do
        for binary in ${baseline:+"$baseline"} "$work/release" "$work/dist"; do
            user "$binary" "$models/$model" >>"$work/t.$(basename "$(dirname "$binary")").$(basename "$binary")"
        done
    done
    first=${baseline:+$(cat "$work/t.$(basename "$(dirname "$baseline")").$(basename "$baseline")" | median) s}
    folder=$(basename "$work")
    echo "| $(basename "$model") | ${first:-–} | $(median <"$work/t.$folder.release") s | $(median <"$work/t.$folder.dist") s |" >>"$work/speed"
done
write
build '`cargo test --workspace --release`, compiled and run' cargo test --workspace --release --locked
write
cat benches/BUILD.md
