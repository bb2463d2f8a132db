#!/bin/sh
# compare.sh [--quick] [--slice DIR] [--with COMMAND]: Cedar beside llama.cpp on this machine, on
# weights of the released widths, as tables in Markdown on standard output. Runs on a bare Debian
# 12 machine: what is missing is installed, the peer comes from the npm registry. Takes about 40
# minutes, 12 GB of disk for two models of random weights, and memory to keep both in the page
# cache; run it on a quiet machine.
#
#   --quick         one round and short prompts: 5 minutes
#   --slice DIR     takes this folder, made by `cedar synth DIR --preset slice`
#   --with COMMAND  puts it before each measurement, as in --with 'nice -n -10'
#
# Measurements of Cedar and the peer take turns. Every one is taken beside probes in the same process:
# memory and cores that are shared with others change their speed by the minute.
set -eu

quick='' slice='' with='' rounds=3 prompt=2048
value() {
  [ $# -gt 1 ] && return
  echo "compare.sh: $1 wants a value" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes rounds=1 prompt=512 ;;
    --slice) value "$@"; slice=$2; shift ;;
    --with) value "$@"; with=$2; shift ;;
    --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) echo "compare.sh: found $1, expected --quick, --slice DIR or --with COMMAND" >&2; exit 2 ;;
  esac
  shift
done
[ -z "$slice" ] || slice=$(cd "$slice" && pwd)

cd "$(dirname "$0")/.."
say() { printf 'compare: %s\n' "$*" >&2; }
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cedar/compare
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM

# ---- the programs --------------------------------------------------------------------------------

peer=@node-llama-cpp/linux-x64@3.22.1
libraries=$cache/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64
sh app/setup.sh
mkdir -p "$cache"
if [ ! -d "$libraries" ]; then
  command -v npm >/dev/null || sh app/packages.sh npm
  say "installing $peer"
  echo '{"private": true}' >"$cache/package.json"
  (cd "$cache" && npm install --no-audit --no-fund --ignore-scripts --save-exact "$peer" >&2)
fi
cmake -B build -DCEDAR_PEER="$libraries" >/dev/null
cmake --build build --parallel "$(nproc)" --target cedar expert_layer_bench projection_bench \
  attend_bench index_score_bench ggml_ops gguf_slice llama_run >&2

# ---- the models ----------------------------------------------------------------------------------

# Files that are kept are whole ones.
if [ ! -f "$cache/slice.json" ]; then
  say "writing a model for the peer"
  build/gguf_slice "$cache/slice.gguf" >"$out/slice.json"
  mv "$out/slice.json" "$cache/slice.json"
fi
if [ -z "$slice" ]; then
  slice=$cache/slice
  if [ ! -f "$slice/done" ]; then
    say "writing a model for Cedar"
    rm -rf "$slice"
    build/cedar synth "$slice" --preset slice
    touch "$slice/done"
  fi
fi
cp "$cache/slice.json" "$out/peer-slice.json"
cat "$slice"/*.safetensors "$cache/slice.gguf" >/dev/null  # into the page cache

# ---- the measurements ----------------------------------------------------------------------------

# measure NAME COMMAND...: its output becomes NAME.ROUND.json.
measure() {
  name=$1
  shift
  say "$name, round $round of $rounds"
  # shellcheck disable=SC2086  # a command with its arguments
  $with "$@" >"$out/$name.$round.json"
}
# operators NAME PROGRAM FILTER: benchmarks of the best instruction set, or of the peer.
isa=$(build/cedar info demo --json | sed -n 's/.*"isa": "\(.*\)".*/\1/p')
operators() { measure "$1" "build/$2" --benchmark_filter="$3" --benchmark_format=json; }
bench() {
  name=$1
  shift
  measure "$name" build/cedar bench "$slice" -r 1 -o json "$@"
}
# The seconds until the first token of a 32-token prompt, with all files in the page cache.
first_token() {
  # shellcheck disable=SC2016  # for the inner shell
  measure first sh -c 'start=$(date +%s%N)
    "$@" >/dev/null 2>&1
    echo "{\"first_token_s\": $((($(date +%s%N) - start) / 1000000))e-3}"' \
    sh build/cedar run "$slice" --raw -p 'thirty-two tokens, one each byte' -n 1 --temperature 0
}

threads=$(build/cedar info demo --json | sed -n 's/.*"threads": \([0-9]*\).*/\1/p')
round=1
while [ "$round" -le "$rounds" ]; do
  for work in Decode Prefill; do
    operators "experts-$work" expert_layer_bench "$work/$isa"
    operators "peer-experts-$work" ggml_ops "Experts/$work"
    operators "projections-$work" projection_bench "$work/.*/$isa"
    operators "peer-projections-$work" ggml_ops "Projection/$work"
  done
  operators attention attend_bench "(Token/$isa/64|Prompt/$isa)"
  operators peer-attention ggml_ops Attention
  operators index index_score_bench "$isa"
  bench decode -p 0 -n 64 --depth 64
  bench bounded -p "$prompt" -n 0
  bench full -p "$prompt" -n 0 --replay full
  measure peer-model build/llama_run "$cache/slice.gguf" "$threads" "$prompt" 64 1
  first_token
  round=$((round + 1))
done

round=1 rounds=1
if [ -z "$quick" ]; then
  bench bounded-long -p 4096 -n 0
  bench full-long -p 4096 -n 0 --replay full
  bench exact-longest -p 8192 -n 0 --replay exact
  bench full-longest -p 8192 -n 0 --replay full
fi
build/cedar synth "$out/deep" --config perf/deep-config.json
for replay in exact full; do
  measure "deep-$replay" build/cedar bench "$out/deep" -r 1 -p 8192 -n 0 --replay $replay -o json
done

# shellcheck disable=SC2086
$with build/cedar bench --machine
echo
cpu=$(awk -F ': *' '/^model name/ {n = $2} /^cpu family/ {f = $2} /^model\t/ {m = $2}
  END {print n == "" ? "an unnamed CPU" : n " (family " f ", model " m ")"}' /proc/cpuinfo)
python3 perf/compare_table.py "$out" "$cpu, $isa"
