#ifndef CEDAR_APP_BENCH_ROWS_H_
#define CEDAR_APP_BENCH_ROWS_H_

// What `cedar bench` found out, as tables for people and for programs. Shares are those of the
// machine's own speed, probed beside each repetition; of all figures the median over the
// repetitions is given.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/options.h"
#include "engine/meter.h"
#include "engine/replay.h"
#include "simd/isa.h"

namespace cedar {

// One measurement. Its tokens are those of the prompt in "pp", the generated ones in the others.
struct BenchRow {
  std::string test;      // "pp", "tg" or "batch"
  size_t n_prompt = 0;   // of each request
  size_t n_gen = 0;      // of each request
  size_t parallel = 1;   // requests
  size_t depth = 0;      // tokens that stand before
  size_t page_size = 0;  // bytes; the page that most weights lie on; 0: unknown

  double tokens_per_s = 0;
  double tokens_per_s_stddev = 0;
  double weight_gb_per_s = 0;
  double read_share = 0;  // of the speed of plain reads of the same weights
  double gflops = 0;      // 10^9 operations a second
  double compute_share = 0;
  double prompt_seconds = 0;  // of a batch: until every request has its first token

  // Takes the figures of all repetitions, each of so many tokens.
  void Take(size_t tokens, std::span<const Measured> repetitions);
};

// What all rows have in common.
struct BenchSetup {
  Replay replay;
  int threads;
  Isa isa;
  std::string numerics;
};

// The text of rows that come one after the other; together with End() it is whole after any of
// them. In markdown, rows of batches are a table of their own and come last.
class BenchText {
 public:
  BenchText(BenchSetup setup, BenchFormat format) : setup_(std::move(setup)), format_(format) {}

  // One more row, with what must stand before it.
  std::string Next(const BenchRow& row);
  std::string End() const;

 private:
  std::string Markdown(const BenchRow& row, bool begins) const;

  BenchSetup setup_;
  BenchFormat format_;
  std::string table_;  // of the row before: "plain" or "batch"; empty at the beginning
};

}  // namespace cedar

#endif  // CEDAR_APP_BENCH_ROWS_H_
