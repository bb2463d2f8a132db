#include "app/batch_options.h"

#include <limits>
#include <string>

#include "app/files_apart.h"
#include "app/option_adders.h"
#include "app/option_values.h"
#include "simd/error.h"

namespace cedar {
namespace {

// As many names as a shell may make of a pattern.
constexpr int kMostValues = 1 << 24;

void AddFiles(CLI::App& batch, BatchOptions& options) {
  CLI::Option* input =
      batch
          .add_option("-i", options.input,
                      "Requests, one a line or in a JSON list, also gzip; -: standard input")
          ->type_name("IN.jsonl");
  CLI::Option* documents =
      batch
          .add_option("--documents", options.documents,
                      "Instead: one request for each text file with such a name (* ? [a-z] {a,b}, "
                      "** for folders at any depth; quote it); @FILE, @-: those of a list")
          ->type_name("GLOB...")
          ->expected(1, kMostValues)
          ->allow_extra_args(false);  // else CLI11 would read the brackets of [a,b] itself
  documents->excludes(input);
  AddProse(batch, "--prompt", "TEMPLATE",
           "What to ask about each; its text stands wherever this says {document}, or else first",
           options.prompt)
      ->needs(documents);
  documents->needs("--prompt");
  batch.add_option("-o", options.output, "Answers, one a line; -: standard output")
      ->type_name("OUT.jsonl");
  AddText(batch, "-e", "ERRORS.jsonl", "Lines that failed (they go to OUT.jsonl)", options.errors);
  AddText(batch, "--summary", "FILE", "The figures of the run, as JSON; -: standard output",
          options.summary);
  AddText(batch, "--metrics", "FILE", "Prometheus metrics, written anew every few seconds",
          options.metrics);
  batch.add_flag_callback(
      "--no-resume", [&] { options.resume = false; },
      "Begin anew; what OUT.jsonl holds is kept as OUT.jsonl~");
  batch.add_flag("--redo", options.redo,
                 "Answer anew what has another request, options or model than its answer in "
                 "OUT.jsonl, which is kept as OUT.jsonl~ (an older copy as OUT.jsonl.~1~)");
  batch.add_flag("--retry-errors", options.retry_errors, "Run lines again that failed before");
  CLI::Option* check =
      batch.add_flag("--check", options.check, "Check and count all lines, and run nothing");
  AddCount(batch, "--pilot", "N",
           "With --check: answer N lines, drawn evenly, and say what the whole will take", 1,
           options.pilot)
      ->needs(check);
}

void AddPlan(CLI::App& batch, BatchOptions& options) {
  AddCount(batch, "--parallel", "N", "Requests at once (32, or fewer that fit)", 1,
           options.parallel);
  AddCount(batch, "--ctx", "N", "Positions of a request (the most that the plan can hold)", 1,
           options.context);
  Add(batch, "--memory", "BYTES",
      "Memory of the plan, no more than is available; K, M, G and T may follow (a quarter of it)",
      [&](const std::string& text) { options.memory = ParseBytes("--memory", text); });
  batch.add_flag("--truncate-prompt", options.truncate_prompt,
                 "Cut prompts that are too long at their front");
  AddCompute(batch, options.compute);
  Add(batch, "--reuse", "MODE",
      "What to take over of common prefixes: exact, global (near the cold results) or off (exact)",
      [&](const std::string& text) { options.reuse = ParseReuse("--reuse", text); });
  AddText(batch, "--cache-dir", "DIR",
          "Keep global KV for later runs (--reuse global, and no other)", options.cache_dir);
  Add(batch, "--cache-size", "BYTES", "Cap of that directory (16G)",
      [&](const std::string& text) { options.cache_bytes = ParseBytes("--cache-size", text); });
}

void AddDefaults(CLI::App& batch, AnswerDefaults& defaults) {
  AddProse(batch, "--system", "TEXT", "A system prompt for lines without one", defaults.system);
  CLI::Option* effort =
      Add(batch, "--effort", "N", "How much to think: 1 to 100, low, high or max (75)",
          [&](const std::string& text) { defaults.effort = ParseEffort("--effort", text); });
  batch
      .add_flag_callback(
          "--no-think", [&] { defaults.effort.reset(); }, "Answer without thinking")
      ->excludes(effort);
  AddCount(batch, "--max-tokens", "N", "Most tokens to generate (what is left of the context)", 1,
           defaults.max_tokens);
  AddCount(batch, "--max-thinking", "N", "Most tokens to think before the answer is forced", 0,
           defaults.max_thinking);
  AddReal(batch, "--temperature", "0: always the likeliest token (1)", kTemperatureRange,
          defaults.sampling.temperature);
  AddReal(batch, "--top-p", "Only the likeliest tokens that hold this mass (0.95)", kTopPRange,
          defaults.sampling.top_p);
  Add(batch, "--top-k", "N", "Only the N likeliest tokens (0: off)", [&](const std::string& text) {
    defaults.sampling.top_k = ParseCount("--top-k", text, 0, std::numeric_limits<uint32_t>::max());
  });
  AddReal(batch, "--min-p", "Only tokens this likely, as a share of the likeliest (0: off)",
          kMinPRange, defaults.sampling.min_p);
  Add(batch, "--seed", "N", "Seed of lines without one (each from its own text)",
      [&](const std::string& text) {
        defaults.seed = ParseCount("--seed", text, 0, std::numeric_limits<uint64_t>::max());
      });
}

// Options that would change nothing beside, or without, others.
void CheckTogether(const BatchOptions& options) {
  if (options.cache_bytes && !options.cache_dir) {
    throw Error(ErrorKind::kUsage, "--cache-size: expected --cache-dir, whose cap it is");
  }
  if (options.redo && !options.resume) {
    throw Error(ErrorKind::kUsage, "--redo: found with --no-resume, which answers all lines anew");
  }
  const char* const figures = options.summary   ? "--summary"
                              : options.metrics ? "--metrics"
                                                : nullptr;
  if (options.check && !options.pilot && figures != nullptr) {
    throw Error(ErrorKind::kUsage,
                std::string(figures) + ": found with --check, which runs nothing");
  }
}

// What reads standard output must not find two things in it.
void CheckStandardOutput(const BatchOptions& options) {
  if (options.metrics == "-") {
    throw Error(ErrorKind::kUsage,
                "--metrics: found \"-\", expected a file, which is written anew all the time");
  }
  if (options.summary == "-" && (options.output == "-" || options.errors == "-")) {
    throw Error(ErrorKind::kUsage,
                "--summary: found \"-\", expected a file, as answers go to standard output");
  }
}

}  // namespace

CLI::App* AddBatch(CLI::App& app, BatchOptions& options) {
  CLI::App* batch = app.add_subcommand("batch", "Answer a file of requests (OpenAI batch lines)");
  AddModel(*batch, options.model);
  AddFiles(*batch, options);
  AddPlan(*batch, options);
  AddDefaults(*batch, options.defaults);
  return batch;
}

void CheckBatch(const BatchOptions& options) {
  if (options.input.empty() && options.documents.empty()) {
    throw Error(ErrorKind::kUsage, "batch: expected -i IN.jsonl or --documents GLOB");
  }
  if (options.pilot && (options.input == "-" || options.output == "-")) {
    throw Error(ErrorKind::kUsage,
                "--pilot: found \"-\" with it, expected files: lines are drawn from all of the "
                "input, and their answers count as done");
  }
  if (options.output.empty() && (!options.check || options.pilot)) {
    throw Error(ErrorKind::kUsage, "batch: expected -o OUT.jsonl");
  }
  if (options.cache_dir && options.ReuseMode() != Reuse::kGlobal) {
    const char* const found = options.reuse == Reuse::kOff ? "off" : "exact";
    throw Error(ErrorKind::kUsage, std::string("--reuse: found ") + found +
                                       " with --cache-dir, expected global: what lies there is "
                                       "global KV, and answers from it are near the exact ones");
  }
  CheckTogether(options);
  CheckStandardOutput(options);
  CheckFilesApart(options);
}

}  // namespace cedar
