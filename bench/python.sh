#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Python programs that sign: the module garner beside the package cryptography, in turn: a table, and data into
# bench/results/*python.json. Nothing else should be running.
#
#   bench/python.sh                threads, tasks of an event loop and lists; about ten minutes
#
#   BITS=2048,3072,4096            lengths of keys
#   SECONDS_EACH=3  ROUNDS=5       each figure's time, and how often; medians are printed
#   RESULTS=bench/results          where the data go
#   PROCESSOR=avx2-                what their name begins with, where it is not to be what processor.sh finds
#
# It builds and installs module and command of this tree first: the command says for the data which commit is measured. Each
# caller's last signature is checked by cryptography. Lists and tasks stand beside eight threads of cryptography's.
set -eu
cd "$(dirname "$0")/.."
seconds=${SECONDS_EACH:-3} rounds=${ROUNDS:-5} bits=${BITS:-2048,3072,4096} results=${RESULTS:-bench/results}
target=${CARGO_TARGET_DIR:-target}
. bench/processor.sh
cargo build --quiet --release --locked --package garner-cli
make --silent python-module
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$results"
origin=$("$target/release/garner" speed --origin)
"$target/python/bin/python" bench/python.py --seconds "$seconds" --rounds "$rounds" --bits "$bits" --json "$work/rows"
{
    printf '{\n  %s,\n' "$(printf %s "$origin" | sed 's/^{//; s/}$//')"
    printf '  "command": "SECONDS_EACH=%s ROUNDS=%s BITS=%s bench/python.sh",\n  "rows": [\n' "$seconds" "$rounds" "$bits"
    cat "$work/rows"
    printf '\n  ]\n}\n'
} >"$results/.python.json"
mv "$results/.python.json" "$results/${processor}python.json"
