// cedar bench: how fast a model runs here, and how much of the machine's own speed that is.

#include <functional>
#include <string>
#include <vector>

#include "app/bench_machine.h"
#include "app/bench_rows.h"
#include "app/bench_runs.h"
#include "app/commands.h"
#include "app/load_engine.h"
#include "app/memory_fit.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/report.h"
#include "engine/engine.h"

namespace cedar {
namespace {

// One row and how to measure it; `check` throws if that cannot be.
struct Test {
  BenchRow row;
  std::function<void(const BenchRuns& runs)> check;
  std::function<void(BenchRuns& runs, BenchRow& row)> measure;
};

Test PromptTest(const BenchOptions& options, size_t tokens, size_t depth) {
  return {{.test = "pp", .n_prompt = tokens, .depth = depth},
          [=](const BenchRuns& runs) { runs.CheckPrompt(tokens, depth); },
          [=, repetitions = options.repetitions](BenchRuns& runs, BenchRow& row) {
            std::vector<Measured> all;
            for (size_t i = 0; i < repetitions; ++i) all.push_back(runs.Prompt(tokens, depth));
            row.Take(tokens, all);
          }};
}

Test GenerateTest(const BenchOptions& options, size_t depth) {
  return {
      {.test = "tg", .n_gen = options.generate, .depth = depth},
      [=, tokens = options.generate](const BenchRuns& runs) { runs.CheckGenerate(tokens, depth); },
      [=, tokens = options.generate, repetitions = options.repetitions](BenchRuns& runs,
                                                                        BenchRow& row) {
        std::vector<Measured> all;
        for (size_t i = 0; i < repetitions; ++i) all.push_back(runs.Generate(tokens, depth));
        row.Take(tokens, all);
      }};
}

Test BatchTest(const BenchOptions& options, size_t parallel, size_t prompt) {
  return {{.test = "batch", .n_prompt = prompt, .n_gen = options.generate, .parallel = parallel},
          [=, tokens = options.generate](const BenchRuns& runs) {
            runs.CheckBatch(parallel, prompt, tokens);
          },
          [=, tokens = options.generate, repetitions = options.repetitions](BenchRuns& runs,
                                                                            BenchRow& row) {
            std::vector<Measured> all;
            std::vector<double> prompt_seconds;
            for (size_t i = 0; i < repetitions; ++i) {
              const BenchRuns::Batch batch = runs.RunBatch(parallel, prompt, tokens);
              all.push_back(batch.generated);
              prompt_seconds.push_back(batch.prompt_seconds);
            }
            row.Take(parallel * tokens, all);
            row.prompt_seconds = Median(prompt_seconds);
          }};
}

// The given lengths of prompts without 0, or `otherwise`.
std::vector<size_t> Prompts(const BenchOptions& options, std::vector<size_t> otherwise) {
  if (!options.prompts) return otherwise;
  std::vector<size_t> prompts = *options.prompts;
  std::erase(prompts, 0);
  return prompts;
}

std::vector<Test> TestsOf(const BenchOptions& options) {
  std::vector<Test> tests;
  for (const size_t depth : options.depths) {
    for (const size_t tokens : Prompts(options, {kDefaultBenchPrompt})) {
      tests.push_back(PromptTest(options, tokens, depth));
    }
    if (options.generate > 0) tests.push_back(GenerateTest(options, depth));
  }
  std::vector<size_t> prompts = Prompts(options, {});
  if (prompts.empty()) prompts = {kDefaultBatchPrompt};
  for (const size_t prompt : prompts) {
    for (const size_t parallel : options.parallel) {
      tests.push_back(BatchTest(options, parallel, prompt));
    }
  }
  return tests;
}

// Rows are written as they are measured; an interrupt or an error leaves those before it.
void WriteRows(const std::vector<Test>& tests, BenchRuns& runs, BenchText& text, Output& out) {
  ProgressLine progress("bench", "tests", tests.size());
  for (size_t done = 0; done < tests.size(); ++done) {
    progress.Update(done);
    BenchRow row = tests[done].row;
    tests[done].measure(runs, row);
    row.page_size = runs.page_size();
    progress.Wipe();
    out.Write(text.Next(row));
  }
}

void MeasureModel(const BenchOptions& options, Output& out) {
  const Engine engine = LoadEngine(*options.model, options.compute);
  WarnIfUnfit(MakeMemoryFit(engine, /*plan=*/0));
  BenchRuns runs(engine, options.compute);
  BenchText text({options.compute.replay, engine.threads(), engine.isa(),
                  std::string(NumericsName(engine.numerics()))},
                 options.format);
  const std::vector<Test> tests = TestsOf(options);
  for (const Test& test : tests) test.check(runs);
  try {
    WriteRows(tests, runs, text, out);
  } catch (...) {
    out.Write(text.End());
    throw;
  }
  out.Write(text.End());
}

}  // namespace

ExitCode Execute(const BenchOptions& options) {
  Output out = Output::Standard();
  if (options.machine) {
    out.Write(MeasureMachine(options));
  } else {
    MeasureModel(options, out);
  }
  return kExitOk;
}

}  // namespace cedar
