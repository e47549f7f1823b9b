#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every benchmark of docs/performance.md: data and pictures into bench/results/. `make bench` calls it.
#
#   bench/run.sh                 all of them, about half an hour
#   bench/run.sh callers         only that one: table, batches, callers, scaling, keygen, bulk, daemon or crypto_mb
#
#   GARNER=target/release/garner   the command to measure; target is CARGO_TARGET_DIR where that is set
#   PEER=no                        without the newest OpenSSL, which takes minutes to build the first time
#   CRYPTO_MB=libcrypto_mb.so    Intel's library, for crypto_mb, which is left out without it
#   SECONDS_EACH=4                 measured time for each system in each row
#   BULK_LINES=1000000             digests that one bulk run signs
#   BULK_BATCH=4096                those of the batches beside it
#   RESULTS=bench/results          where data and pictures go
#   PROCESSOR=avx2-                what their names begin with, where it is not to be what processor.sh finds
#
# Figures of one core are taken pinned to the first processor. Nothing else should be running: garner says so where it is.
# Each file carries the commit that the command was built from, and the load before. What goes into the repository comes from
# a clean commit; `make figures` then brings it into the documents.
set -eu
case ${CRYPTO_MB-} in
'' | /*) ;;
*) CRYPTO_MB=$PWD/$CRYPTO_MB ;;
esac
cd "$(dirname "$0")/.."

garner=${GARNER:-${CARGO_TARGET_DIR:-target}/release/garner}
seconds=${SECONDS_EACH:-4}
results=${RESULTS:-bench/results}
one_core="taskset -c 0"
. bench/processor.sh

for benchmark in "$@"; do
    case $benchmark in
    all | table | batches | callers | scaling | keygen | bulk | daemon | crypto_mb) ;;
    *)
        echo "bench/run.sh: $benchmark: unknown; there are table, batches, callers, scaling, keygen, bulk, daemon and crypto_mb" >&2
        exit 2
        ;;
    esac
done
[ -x "$garner" ] || {
    echo "bench/run.sh: $garner: not there; run make build first" >&2
    exit 3
}

case $("$garner" --version) in
*"with changes"*) echo "bench/run.sh: the sources have changes that are in no commit: these results are for you alone" >&2 ;;
esac

mkdir -p "$results"
# A benchmark's files grow here, beside the last ones, and take their places together when it is through: a run cut short
# leaves the last result alone.
new=$(mktemp -d "$results/.new.XXXXXX") work=$(mktemp -d)
trap 'rm -rf "$new" "$work"' EXIT
trap 'exit 130' INT TERM
peer=
if [ "${PEER:-yes}" != no ]; then
    echo "building the newest OpenSSL (minutes, the first time)" >&2
    CARGO_TARGET_DIR=target/newest-openssl cargo build --quiet --release --locked \
        --manifest-path bench/newest-openssl/Cargo.toml
    peer="--peer target/newest-openssl/release/newest-openssl"
fi

# measure NAME WORD...: one run, its output kept as data; machine, versions, command and date are in it.
measure() {
    name=$1
    shift
    echo "$name" >&2
    "$@" >"$work/measured"
    # The command as it is to be repeated.
    sed -e "s|$new/|$results/$processor|g" -e "s|${CARGO_TARGET_DIR:-target}/|target/|g" \
        -e "s|${CRYPTO_MB:-libcrypto_mb.so}|libcrypto_mb.so|g" "$work/measured" >"$new/$name.json"
}

# The benchmark is through.
keep() {
    for file in "$new"/*; do
        mv "$file" "$results/$processor${file##*/}"
    done
}

# The table of `make speed`.
table() {
    measure speed "$garner" speed --seconds "$seconds" --json
    keep
}

# Keys, one core.
keygen() {
    # shellcheck disable=SC2086 # words
    measure keygen $one_core "$garner" speed --operation keygen --bits 2048,3072,4096 --seconds "$seconds" $peer --json
    keep
}

# Private and public operations of one core, in whole batches and by one caller, all sizes.
batches() {
    # shellcheck disable=SC2086 # words
    measure batches $one_core "$garner" speed --operation sign,verify,public --callers 1 --batch 64 \
        --seconds "$seconds" $peer --json
    keep
}

# Whole batches beside Intel's crypto_mb, one core.
crypto_mb() {
    [ -n "${CRYPTO_MB-}" ] || {
        echo "crypto_mb: left out, CRYPTO_MB names no libcrypto_mb.so" >&2
        return 0
    }
    cargo build --quiet --release --locked --package garner-bench-crypto-mb
    measure crypto-mb $one_core "$garner" speed --operation sign,verify --callers 1 --batch 64 --seconds "$seconds" \
        --peer "'${CARGO_TARGET_DIR:-target}/release/garner-bench-crypto-mb' '$CRYPTO_MB'" --json
    keep
}

# Throughput and latency against the number of callers, one core and then all.
callers() {
    # shellcheck disable=SC2086 # words
    measure callers-one-core $one_core "$garner" speed --bits 2048 --operation sign --callers 1,2,4,8,16,64,256 \
        --seconds "$seconds" $peer --json --plot "$new/callers-one-core.svg"
    # shellcheck disable=SC2086 # words
    measure callers-all-cores "$garner" speed --bits 2048 --operation sign --callers 1,2,4,8,16,64,256 \
        --seconds "$seconds" $peer --json --plot "$new/callers-all-cores.svg"
    keep
}

# One core against two, in turn: the medians are the rounds' to compare.
scaling() {
    [ "$(nproc)" -ge 2 ] || {
        echo "scaling: left out, this machine has one processor" >&2
        return 0
    }
    # What a file that sums up several runs begins with: commit, load and machine.
    origin=$("$garner" speed --origin)
    : >"$work/rounds"
    for round in 1 2 3 4 5; do
        for cores in 1 2; do
            last=$((cores - 1))
            measure "scaling-$cores" taskset -c "0-$last" "$garner" speed --bits 2048 --operation sign --callers 64 \
                --batch 0 --seconds "$seconds" --json
            rate=$(sed -n 's/.*"garner_per_s": *\([0-9.]*\).*/\1/p' "$new/scaling-$cores.json" | head -n 1)
            echo "$round $cores $rate" >>"$work/rounds"
        done
    done
    # One line per round and the median of the gains, so that the data tell how far they scatter.
    awk -v origin="${origin%\}}" '
        $2 == 1 { one[$1] = $3 }
        $2 == 2 { gain[++n] = $3 / one[$1]; rounds = rounds sep sprintf("{\"one_core_per_s\": %.1f, \"two_cores_per_s\": %.1f, \"gain\": %.3f}", one[$1], $3, gain[n]); sep = ", " }
        END {
            for (i = 2; i <= n; i++) for (j = i; j > 1 && gain[j] < gain[j-1]; j--) { t = gain[j]; gain[j] = gain[j-1]; gain[j-1] = t }
            printf "%s, \"gain_of_two_cores\": %.3f, \"rounds\": [%s]}\n", origin, gain[int((n + 1) / 2)], rounds
        }' "$work/rounds" >"$new/scaling.json"
    cat "$new/scaling.json" >&2
    keep
}

# Bulk signing from file to file on all cores, in turn with the rate of whole batches: what reading, hashing, ordering and
# writing cost.
bulk() {
    lines=${BULK_LINES:-1000000}
    origin=$("$garner" speed --origin)
    head -c "$((32 * lines))" /dev/urandom | od -An -v -tx1 -w32 | tr -d ' ' >"$work/digests"
    "$garner" keygen --out "$work/key.pem"
    : >"$work/rounds"
    for round in 1 2 3; do
        echo "bulk: $lines digests, round $round of 3" >&2
        "$garner" bulk --key "$work/key.pem" "$work/digests" --out "$work/signatures" --force --json \
            >"$work/bulk.json"
        measure bulk-batches "$garner" speed --bits 2048 --operation sign --callers 1 --batch "${BULK_BATCH:-4096}" \
            --slots "$(nproc)" --seconds "$seconds" --json
        rate=$(sed -n 's/.*"per_second": *\([0-9.]*\).*/\1/p' "$work/bulk.json")
        memory=$(sed -n 's/.*"peak_memory_kib": *\([0-9]*\).*/\1/p' "$work/bulk.json")
        # The batches' row comes first.
        batches=$(sed -n 's/.*"garner_per_s": *\([0-9.]*\).*/\1/p' "$new/bulk-batches.json" | head -n 1)
        echo "$rate $batches $memory" >>"$work/rounds"
    done
    awk -v lines="$lines" -v origin="${origin%\}}" '
        { share[NR] = $1 / $2; rounds = rounds sep sprintf("{\"bulk_per_s\": %.1f, \"batches_per_s\": %.1f, \"share\": %.3f, \"peak_memory_kib\": %d}", $1, $2, share[NR], $3); sep = ", " }
        END {
            for (i = 2; i <= NR; i++) for (j = i; j > 1 && share[j] < share[j-1]; j--) { t = share[j]; share[j] = share[j-1]; share[j-1] = t }
            printf "%s, \"share_of_whole_batches\": %.3f, \"lines\": %d, \"rounds\": [%s]}\n", origin, share[int((NR + 1) / 2)], lines, rounds
        }' "$work/rounds" >"$new/bulk.json"
    cat "$new/bulk.json" >&2
    keep
}

# Processes of their own that sign by garnerd, beside OpenSSL and Garner inside them, all cores.
daemon() {
    cargo build --quiet --release --locked --package garnerd --package garner-pkcs11 --package garner-bench-daemon
    programs=${CARGO_TARGET_DIR:-target}/release
    measure daemon "$programs/daemon-bench" --garnerd "$programs/garnerd" --pkcs11 "$programs/libgarner_pkcs11.so" --seconds "$seconds"
    keep
}

for benchmark in "${@:-all}"; do
    if [ "$benchmark" = all ]; then
        table
        batches
        callers
        scaling
        keygen
        bulk
        daemon
        crypto_mb
    else
        "$benchmark"
    fi
done
