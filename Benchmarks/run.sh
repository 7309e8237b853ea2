#!/bin/sh
# Prints every table of figures, each beside its peers in the same run: Benchmarks/run.sh [PART]...
# Parts: terminal text pictures store lists web network siege; all of them without words. Figures are for quiet machines.
# The siege takes SIEGE_SECONDS, 600 unless said.
set -eu
cd "$(dirname "$0")/.."
parts=${*:-terminal text pictures store lists web network siege}

# As `make build` does it, so that nothing is compiled twice.
build() {
    make --no-print-directory product PRODUCT="$1" >&2
}

for part in $parts; do
    case $part in
    terminal)
        build byteclub
        build byteclub-bench
        .build/release/byteclub-bench
        ;;
    text)
        build TextBench
        .build/release/TextBench
        ;;
    pictures)
        build byteclub
        build PictureBench
        .build/release/PictureBench
        ;;
    store)
        build StoreBench
        .build/release/StoreBench
        ;;
    lists)
        build ListBench
        .build/release/ListBench
        ;;
    web)
        build WebBench
        .build/release/WebBench
        ;;
    network)
        Benchmarks/network.sh
        ;;
    siege)
        build byteclub
        build SiegeBench
        .build/release/SiegeBench "${SIEGE_SECONDS:-600}"
        ;;
    *)
        echo "run.sh: there is no part $part (terminal text pictures store lists web network siege)" >&2
        exit 2
        ;;
    esac
done
