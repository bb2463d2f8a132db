#!/bin/sh
# demo.sh: builds Cedar, lets its built-in model answer a question about each ledger of
# app/demo/ledgers.jsonl, and prints each answer beside the fact that stands in the ledger, the
# figures of the run, and how many answers are right. Takes no arguments.
set -eu

cd "$(dirname "$0")/.."
sh app/setup.sh
cmake --build build --target demo_report >&2

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM

build/cedar batch demo -i app/demo/ledgers.jsonl -o "$out/answers.jsonl" 2>"$out/figures" || {
  status=$?
  cat "$out/figures" >&2
  exit "$status"
}
build/demo_report app/demo/facts.jsonl "$out/answers.jsonl" "$out/figures"
