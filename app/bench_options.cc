#include "app/bench_options.h"

#include <algorithm>
#include <limits>

#include "app/option_adders.h"
#include "app/option_values.h"
#include "simd/error.h"

namespace cedar {
namespace {

constexpr uint64_t kMostTokens = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMostParallel = 65536;
constexpr uint64_t kMostRepetitions = 1000;

BenchFormat ParseFormat(const std::string& text) {
  if (text == "md") return BenchFormat::kMarkdown;
  if (text == "csv") return BenchFormat::kCsv;
  if (text == "json") return BenchFormat::kJson;
  throw Error(ErrorKind::kUsage, "-o: found \"" + text + "\", expected md, csv or json");
}

// What is measured of a model.
void AddTests(CLI::App& bench, BenchOptions& options, CLI::Option* machine) {
  Add(bench, "-p", "N,N,...",
      "Tokens of a prompt; 0: none (" + std::to_string(kDefaultBenchPrompt) +
          "; for each request of a batch " + std::to_string(kDefaultBatchPrompt) + ")",
      [&](const std::string& text) { options.prompts = ParseCounts("-p", text, 0, kMostTokens); })
      ->excludes(machine);
  Add(bench, "-n", "N", "Tokens to generate; 0: none (" + std::to_string(options.generate) + ")",
      [&](const std::string& text) { options.generate = ParseCount("-n", text, 0, kMostTokens); })
      ->excludes(machine);
  Add(bench, "--parallel", "N,N,...", "Also batches of so many requests",
      [&](const std::string& text) {
        options.parallel = ParseCounts("--parallel", text, 1, kMostParallel);
      })
      ->excludes(machine);
  Add(bench, "--depth", "N,N,...",
      "Tokens that stand before the measured ones, batches excepted (0)",
      [&](const std::string& text) {
        options.depths = ParseCounts("--depth", text, 0, kMostTokens);
      })
      ->excludes(machine);
}

}  // namespace

CLI::App* AddBench(CLI::App& app, BenchOptions& options) {
  CLI::App* bench =
      app.add_subcommand("bench", "Measure a model's speed, and how much of the machine's it is");
  bench->add_option("MODEL", options.model, "Folder of a checkpoint, or demo: the built-in model")
      ->type_name("");
  CLI::Option* machine =
      bench->add_flag("--machine", options.machine, "No model: what this machine can do at most");
  AddTests(*bench, options, machine);
  Add(*bench, "-r", "REPS", "Repetitions, of which the median counts (5)",
      [&](const std::string& text) {
        options.repetitions = ParseCount("-r", text, 1, kMostRepetitions);
      });
  Add(*bench, "-o", "FORMAT", "md, csv or json (md)",
      [&](const std::string& text) { options.format = ParseFormat(text); });
  AddCompute(*bench, options.compute);
  for (const char* name : {"--replay", "--weights", "--chunk", "--numerics"}) {
    bench->get_option(name)->excludes(machine);
  }
  return bench;
}

void CheckBench(const BenchOptions& options) {
  if (options.model.has_value() == options.machine) {
    throw Error(ErrorKind::kUsage, "bench: expected either MODEL or --machine");
  }
  if (options.machine) return;
  if (options.generate == 0 && !options.parallel.empty()) {
    throw Error(ErrorKind::kUsage, "-n: found 0, expected at least 1 with --parallel");
  }
  const auto is_zero = [](size_t tokens) { return tokens == 0; };
  if (options.generate == 0 && options.prompts && std::ranges::all_of(*options.prompts, is_zero)) {
    throw Error(ErrorKind::kUsage, "bench: found -p 0 and -n 0, expected something to measure");
  }
}

}  // namespace cedar
