#ifndef CEDAR_APP_OPTIONS_H_
#define CEDAR_APP_OPTIONS_H_

// The command line: one struct for each command, with its defaults.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/answer_defaults.h"
#include "engine/memory_plan.h"
#include "engine/numerics.h"
#include "engine/replay.h"
#include "engine/sampler.h"
#include "simd/isa.h"
#include "simd/workers.h"
#include "weights/load_weights.h"
#include "weights/synthetic_config.h"

namespace cedar {

inline constexpr int kDefaultEffort = 75;  // what the release thinks with

// How the engine computes.
struct ComputeOptions {
  std::optional<Isa> isa;  // unset: the best of this CPU
  int threads = 0;         // 0: one for each physical core
  size_t chunk = kDefaultChunk;
  Replay replay = Replay::kBounded;
  simd::Pinning pinning = simd::Pinning::kCores;
  Numerics numerics = Numerics::kReference;
  std::optional<WeightPlace> weights{};  // unset: what suits the model and the run
};

struct InfoOptions {
  std::string model;
  size_t context = 0;  // 0: as many positions as the model holds
  size_t parallel = 1;
  bool json = false;
};

struct RunOptions {
  std::string model;
  std::optional<std::string> prompt;       // -p
  std::optional<std::string> prompt_file;  // -f; without both: standard input
  std::optional<std::string> system;
  std::optional<int> effort = kDefaultEffort;  // unset: no thinking
  bool raw = false;                            // no chat text around the prompt
  std::optional<std::string> json_schema;      // a file: the answer must be JSON that it describes
  std::optional<size_t> max_tokens;            // unset: until the end of text or of the context
  std::optional<size_t> max_thinking;          // tokens of thoughts; then the answer is forced
  SamplingParams sampling;
  std::optional<uint64_t> seed;  // unset: one is drawn
  ComputeOptions compute;
};

struct ScoreOptions {
  std::string model;
  std::optional<std::string> ids_file;  // exactly one of the two
  std::optional<std::string> text_file;
  std::optional<std::string> logits_file;
  bool json = false;
  ComputeOptions compute{{}, 0, kDefaultChunk, Replay::kFull};
};

struct VerifyOptions {
  std::string model;
  std::optional<std::string> sums;  // a file of SHA-256 sums, or a folder of Git LFS pointers
  int threads = 0;                  // 0: one for each physical core
};

struct TokenizeOptions {
  std::string model;
  bool chat = false;  // the input is the body of a request: its prompt
};

struct SynthOptions {
  std::string directory;
  std::optional<std::string> config;  // a config.json; unset: the slice preset
  SyntheticShape shape;
  uint64_t seed = 0;
};

struct DetokenizeOptions {
  std::string model;
};

// What a request may take over from earlier ones.
enum class Reuse {
  kExact,   // what changes no bit
  kGlobal,  // global KV alone too: near the results of a cold start
  kOff,
};

struct BatchOptions {
  std::string model;
  std::string input;                   // "-": standard input
  std::vector<std::string> documents;  // instead: patterns of file names, with a prompt template
  std::optional<std::string> prompt;
  std::string output;                 // "-": standard output
  std::optional<std::string> errors;  // unset: failures go to the output
  std::optional<size_t> parallel;     // unset: what the plan can hold
  std::optional<size_t> context;
  std::optional<size_t> memory;  // bytes
  ComputeOptions compute;
  std::optional<Reuse> reuse;  // unset: kGlobal with a cache_dir, else kExact
  std::optional<std::string> cache_dir;
  std::optional<size_t> cache_bytes;  // its cap
  bool resume = true;
  bool redo = false;  // answers whose request, options or model have changed
  bool retry_errors = false;
  bool truncate_prompt = false;
  bool check = false;
  std::optional<size_t> pilot;  // with check: lines that are answered to know what all will take
  std::optional<std::string> summary;  // a file for the figures as JSON; "-": standard output
  std::optional<std::string> metrics;
  AnswerDefaults defaults;  // for lines that have no values of their own

  Reuse ReuseMode() const { return reuse.value_or(cache_dir ? Reuse::kGlobal : Reuse::kExact); }
};

enum class BenchFormat { kMarkdown, kCsv, kJson };

struct BenchOptions {
  std::optional<std::string> model;  // unset: the machine alone
  bool machine = false;
  std::optional<std::vector<size_t>> prompts;  // tokens of a prompt; unset: kDefaultBenchPrompt
  size_t generate = 128;                       // tokens
  std::vector<size_t> parallel;                // requests at once; none: no batches
  std::vector<size_t> depths{0};               // tokens that stand before
  size_t repetitions = 5;
  BenchFormat format = BenchFormat::kMarkdown;
  ComputeOptions compute;
};

inline constexpr size_t kDefaultBenchPrompt = 512;
inline constexpr size_t kDefaultBatchPrompt = 64;  // of each request of a batch

using Command =
    std::variant<InfoOptions, RunOptions, ScoreOptions, TokenizeOptions, DetokenizeOptions,
                 BatchOptions, BenchOptions, SynthOptions, VerifyOptions>;

struct CommandLine {
  std::optional<Command> command;
  std::string text;  // without a command: what to print to standard output (help, version)
};

// Throws Error (kUsage) that names the option, what was found and what was expected.
CommandLine ParseCommandLine(int argc, const char* const* argv);

}  // namespace cedar

#endif  // CEDAR_APP_OPTIONS_H_
