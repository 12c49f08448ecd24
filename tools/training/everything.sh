#!/usr/bin/env bash
# From nothing to weights: `tools/training/everything.sh FOLDER`; its last line is the file.
#
# Exact positions are labelled and learned from. With those weights games are played, and learned from too; with these again.
# PART=1 does a thousandth of it, MAKE="g++ -x c++ -O2" without a graphics card.
set -euo pipefail
out=$1 part=${PART:-1000} make=${MAKE:-nvcc -O3 -arch=sm_90}
here=$(dirname "$0")
mkdir -p "$out"

some() { echo $(($1 * part / 1000)); }
labels() { "$out/labels$1" "$2" "$(some "$3")" "$4" "$5" "$6" "$7" "$out/$1-labels$2.bin" "${@:8}"; }
games() { "$out/games$1" "$2" "$(some "$3")" "$4" "$5" "$6" "$out/$1-games$2.bin" "$words"; }
train() { python -m tools.training.train "$out"/*.bin --out "$1" "${@:2}"; words=$1/weights.words; }
play() { # a seed
  games 7x7 "$1" 60000 40 47 0.2
  games 8x8 "$1" 60000 46 62 0.15
  games 9x9 "$1" 100000 50 79 0.15
  games 9x11 "$1" 160000 56 97 0.15
  games 11x11 "$1" 120000 60 119 0.12
  games 13x13 "$1" 120000 60 167 0.12
}

for board in 7x7 8x8 9x9 9x11 11x11 13x13; do
  for program in labels games; do
    $make -DROWS="${board%x*}" -DCOLS="${board#*x}" "$here/$program.cu" -o "$out/$program$board"
  done
done
labels 7x7 11 230000 12 47 0.3 30000
labels 8x8 11 185000 12 50 0.2 40000
labels 9x9 11 155000 14 54 0.3 50000
labels 9x11 11 280000 14 62 0.3 50000
labels 11x11 11 260000 14 60 0.3 50000
labels 13x13 11 600000 14 60 0.3 50000
train "$out/first"
play 301
train "$out/second"
play 401
train "$out/third"
