#!/bin/sh
# Everything Garner does on a GPU, checked and measured: bench/results/gpu-NAME.json and .svg. `make bench-gpu` calls it.
#
#   bench/gpu.sh                    build and run here
#   bench/gpu.sh build              only build target/gpu-bench: one file with libcrypto inside, for a machine that has an
#                                   NVIDIA driver and nothing else; no compiler and no network are needed there
#   target/gpu-bench --out F.json   what to run there; under ten minutes
#   bench/gpu.sh try                a trial run without a GPU, kernels interpreted: shows that the program works
#
#   PEER=FILE.json                  a result of another library on the same GPU, see docs/gpu.md; compared at the end
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
    "$target/release/garner-bench-gpu" --out bench/results/.gpu.json --plot bench/results/.gpu.svg ${PEER:+--peer "$PEER"}
    name=$(sed -n 's/.*"gpu": "\([^"]*\)".*/\1/p' bench/results/.gpu.json | head -n 1 | tr -c 'A-Za-z0-9\n' '-')
    mv bench/results/.gpu.json "bench/results/gpu-$name.json"
    if [ -f bench/results/.gpu.svg ]; then mv bench/results/.gpu.svg "bench/results/gpu-$name.svg"; fi
    echo "bench/results/gpu-$name.json"
    ;;
*)
    echo "bench/gpu.sh: $1: unknown; there are run, build and try" >&2
    exit 2
    ;;
esac
