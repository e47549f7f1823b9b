#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything Garner does on a GPU, checked and measured: bench/results/gpu-NAME.json. `make bench-gpu` calls it.
#
#   bench/gpu.sh                    build and run here
#   bench/gpu.sh build              only build target/gpu-bench: one file with libcrypto inside, for a machine that has an
#                                   NVIDIA driver and nothing else; no compiler and no network are needed there
#   target/gpu-bench --out F.json   what to run there; under ten minutes. Where only one folder comes back, see docs/gpu.md
#   bench/gpu.sh try                a trial run without a GPU, kernels interpreted: shows that the program works
set -eu
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}

case ${1:-run} in
build)
    cargo build --release --package garner-bench-gpu --features static
    mkdir -p target
    strip -o target/gpu-bench "$target/release/garner-bench-gpu"
    echo "target/gpu-bench: $(du -h target/gpu-bench | cut -f 1), needs $(ldd target/gpu-bench | awk '{print $1}' | tr '\n' ' ')"
    ;;
try)
    cargo run --release --package garner-bench-gpu -- --emulate --bits 1024 --seconds 0.05
    ;;
run)
    cargo build --release --package garner-bench-gpu
    mkdir -p bench/results
    # Under a name that shows, until the GPU's is known: what there is stays, however the run ends.
    new=bench/results/gpu-new
    rm -f "$new.json"
    status=0
    "$target/release/garner-bench-gpu" --out "$new.json" || status=$?
    name=$(sed -n 's/.*"gpu": "\([^"]*\)".*/\1/p' "$new.json" 2>/dev/null | head -n 1 | tr -c 'A-Za-z0-9\n' '-')
    if [ -n "$name" ]; then
        mv "$new.json" "bench/results/gpu-$name.json"
        echo "bench/results/gpu-$name.json"
    fi
    exit "$status"
    ;;
*)
    echo "bench/gpu.sh: $1: unknown; there are run, build and try" >&2
    exit 2
    ;;
esac
