#include "app/bench_machine.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "app/bench_tables.h"
#include "app/interrupt.h"
#include "app/report.h"
#include "simd/memory.h"
#include "simd/page_size.h"
#include "simd/team_probes.h"
#include "simd/workers.h"

namespace cedar {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostRead = size_t{1} << 30;  // bytes: more than any cache holds

struct MachineRow {
  int threads;
  double read;                             // bytes a second
  double fp32_fmas, bf16_dots, int8_dots;  // operations a second
};

// A quarter of what is left, where that is less.
simd::Memory MakeMemory() {
  const size_t available = simd::AvailableMemory();
  return simd::Memory(available == 0 ? kMostRead : std::min(kMostRead, available / 4),
                      "memory to read");
}

MachineRow Probe(Isa isa, int threads, simd::Bytes memory, size_t repetitions) {
  const simd::Workers workers(threads);
  const simd::TeamProbes probes(isa, workers);
  std::vector<double> read, fp32_fmas, bf16_dots, int8_dots;
  for (size_t i = 0; i < repetitions; ++i) {
    CheckInterrupt();
    read.push_back(probes.ReadSpeed({&memory, 1}));
    fp32_fmas.push_back(probes.Fp32Fmas());
    bf16_dots.push_back(probes.Bf16Dots());
    int8_dots.push_back(probes.Int8Dots());
  }
  return {threads, Median(read), Median(fp32_fmas), Median(bf16_dots), Median(int8_dots)};
}

std::string ToMarkdown(std::span<const MachineRow> rows, Isa isa, size_t page_size) {
  std::vector<TableRow> table{{"threads", "isa", "page", "read GB/s", "fp32 FMA GFLOP/s",
                               "bf16 dots GFLOP/s", "int8 dots GOP/s"}};
  for (const MachineRow& row : rows) {
    table.push_back({std::to_string(row.threads), std::string(IsaName(isa)), FormatPage(page_size),
                     FormatFixed(row.read * 1e-9, 1), FormatFixed(row.fp32_fmas * 1e-9, 0),
                     FormatFixed(row.bf16_dots * 1e-9, 0), FormatFixed(row.int8_dots * 1e-9, 0)});
  }
  return MarkdownTable(table);
}

ordered_json ToJson(const MachineRow& row, Isa isa, size_t page_size) {
  ordered_json json;
  json["threads"] = row.threads;
  json["isa"] = IsaName(isa);
  json["page_size"] = page_size;
  json["read_gb_per_s"] = row.read * 1e-9;
  json["fp32_fma_gflops"] = row.fp32_fmas * 1e-9;
  json["bf16_dot_gflops"] = row.bf16_dots * 1e-9;
  json["int8_dot_gops"] = row.int8_dots * 1e-9;
  return json;
}

}  // namespace

std::string MeasureMachine(const BenchOptions& options) {
  const Isa isa = options.compute.isa.value_or(AvailableIsas().front());
  const int all = options.compute.threads > 0 ? options.compute.threads : simd::DefaultThreads();
  const simd::Memory memory = MakeMemory();
  std::memset(memory.data(), 1, memory.bytes());  // pages that were never written are all one page
  const simd::Bytes bytes(memory.data(), memory.bytes());
  const auto use = simd::PagesOf({&bytes, 1});
  const size_t page_size = use ? use->page_size() : 0;
  std::vector<MachineRow> rows;
  for (const int threads : std::set<int>{1, all}) {
    rows.push_back(Probe(isa, threads, bytes, options.repetitions));
  }
  if (options.format == BenchFormat::kMarkdown) return ToMarkdown(rows, isa, page_size);
  ordered_json json = ordered_json::array();
  for (const MachineRow& row : rows) json.push_back(ToJson(row, isa, page_size));
  return options.format == BenchFormat::kJson ? json.dump(1) + "\n" : CsvTable(json);
}

}  // namespace cedar
