#include "app/bench_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/bench_tables.h"
#include "app/report.h"

namespace cedar {
namespace {

using nlohmann::ordered_json;

double MedianOf(std::span<const Measured> repetitions, double (*value)(const Measured&)) {
  std::vector<double> values;
  for (const Measured& repetition : repetitions) values.push_back(value(repetition));
  return Median(values);
}

// Of a sample; 0 of a single value.
double StandardDeviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

ordered_json ToJson(const BenchSetup& setup, const BenchRow& row) {
  ordered_json json;
  json["test"] = row.test;
  json["n_prompt"] = row.n_prompt;
  json["n_gen"] = row.n_gen;
  json["parallel"] = row.parallel;
  json["depth"] = row.depth;
  json["replay"] = ReplayName(setup.replay);
  json["threads"] = setup.threads;
  json["isa"] = IsaName(setup.isa);
  json["numerics"] = setup.numerics;
  json["tokens_per_s"] = row.tokens_per_s;
  json["tokens_per_s_stddev"] = row.tokens_per_s_stddev;
  json["weight_gb_per_s"] = row.weight_gb_per_s;
  json["read_share"] = row.read_share;
  json["gflops"] = row.gflops;
  json["compute_share"] = row.compute_share;
  json["page_size"] = row.page_size;
  return json;
}

// "pp512", "tg128 @ d4096": as llama-bench names them.
std::string TestName(const BenchRow& row) {
  const size_t tokens = row.test == "pp" ? row.n_prompt : row.n_gen;
  return row.test + std::to_string(tokens) +
         (row.depth > 0 ? " @ d" + std::to_string(row.depth) : "");
}

TableRow SharesOf(const BenchRow& row) {
  return {FormatFixed(row.weight_gb_per_s, 1), FormatFixed(row.read_share, 2),
          FormatFixed(row.gflops, 1), FormatFixed(row.compute_share, 2)};
}

TableRow PlainRow(const BenchSetup& setup, const BenchRow& row) {
  TableRow cells{
      TestName(row),
      std::string(ReplayName(setup.replay)),
      std::to_string(setup.threads),
      std::string(IsaName(setup.isa)),
      setup.numerics,
      FormatPage(row.page_size),
      FormatFixed(row.tokens_per_s, 2) + " ± " + FormatFixed(row.tokens_per_s_stddev, 2)};
  std::ranges::copy(SharesOf(row), std::back_inserter(cells));
  return cells;
}

// The columns of llama-batched-bench, then ours. What bounds a step is the larger share.
TableRow BatchRow(const BenchRow& row) {
  const double prompt = static_cast<double>(row.parallel * row.n_prompt);
  const double generated = static_cast<double>(row.parallel * row.n_gen);
  const double seconds = generated / row.tokens_per_s, all = row.prompt_seconds + seconds;
  TableRow cells{std::to_string(row.n_prompt),
                 std::to_string(row.n_gen),
                 std::to_string(row.parallel),
                 FormatFixed(prompt + generated, 0),
                 FormatFixed(row.prompt_seconds, 3),
                 FormatFixed(prompt / row.prompt_seconds, 2),
                 FormatFixed(seconds, 3),
                 FormatFixed(row.tokens_per_s, 2),
                 FormatFixed(all, 3),
                 FormatFixed((prompt + generated) / all, 2)};
  std::ranges::copy(SharesOf(row), std::back_inserter(cells));
  const bool memory = row.read_share >= row.compute_share;
  cells.push_back(FormatFixed(std::max(row.read_share, row.compute_share), 2) + " of " +
                  (memory ? "memory" : "arithmetic"));
  return cells;
}

const TableRow kPlainHeader{"test",     "replay",       "threads", "isa",     "numerics", "page",
                            "tokens/s", "weights GB/s", "of read", "GFLOP/s", "of peak"};
const TableRow kBatchHeader{"PP",           "TG",      "B",        "N_KV",    "T_PP s",
                            "S_PP t/s",     "T_TG s",  "S_TG t/s", "T s",     "S t/s",
                            "weights GB/s", "of read", "GFLOP/s",  "of peak", "bound"};

}  // namespace

void BenchRow::Take(size_t tokens, std::span<const Measured> repetitions) {
  std::vector<double> speeds;
  for (const Measured& repetition : repetitions) {
    speeds.push_back(static_cast<double>(tokens) / repetition.seconds);
  }
  tokens_per_s = Median(speeds);
  tokens_per_s_stddev = StandardDeviation(speeds);
  weight_gb_per_s = MedianOf(
      repetitions, [](const Measured& m) { return 1e-9 * m.work.weight_bytes / m.seconds; });
  gflops =
      MedianOf(repetitions, [](const Measured& m) { return 1e-9 * m.work.operations / m.seconds; });
  read_share = MedianOf(repetitions, [](const Measured& m) { return m.read_share(); });
  compute_share = MedianOf(repetitions, [](const Measured& m) { return m.compute_share(); });
}

std::string BenchText::Next(const BenchRow& row) {
  const bool is_first = table_.empty();
  const std::string table = row.test == "batch" ? "batch" : "plain";
  const bool begins = std::exchange(table_, table) != table;
  if (format_ == BenchFormat::kMarkdown) {
    return (begins && !is_first ? "\n" : "") + Markdown(row, begins);
  }
  const ordered_json rows = ordered_json::array({ToJson(setup_, row)});
  if (format_ == BenchFormat::kCsv) {
    const std::string text = CsvTable(rows);
    return is_first ? text : text.substr(text.find('\n') + 1);
  }
  // An array of one, without its brackets.
  const std::string text = rows.dump(1);
  return (is_first ? "[" : ",") + text.substr(1, text.size() - 3);
}

std::string BenchText::Markdown(const BenchRow& row, bool begins) const {
  const bool batch = row.test == "batch";
  const TableRow cells = batch ? BatchRow(row) : PlainRow(setup_, row);
  return begins ? MarkdownTable({batch ? kBatchHeader : kPlainHeader, cells}) : MarkdownRow(cells);
}

std::string BenchText::End() const {
  if (format_ != BenchFormat::kJson) return "";
  return table_.empty() ? "[]\n" : "\n]\n";
}

}  // namespace cedar
