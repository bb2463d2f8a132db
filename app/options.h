#ifndef CEDAR_APP_OPTIONS_H_
#define CEDAR_APP_OPTIONS_H_

// The command line: one struct for each command, with its defaults.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/memory_plan.h"
#include "engine/replay.h"
#include "engine/sampler.h"
#include "simd/isa.h"

namespace cedar {

inline constexpr int kDefaultEffort = 75;  // what the release thinks with

// How the engine computes.
struct ComputeOptions {
  std::optional<Isa> isa;  // unset: the best of this CPU
  int threads = 0;         // 0: one for each physical core
  size_t chunk = kDefaultChunk;
  Replay replay = Replay::kBounded;
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
  std::optional<size_t> max_tokens;            // unset: until the end of text or of the context
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

struct TokenizeOptions {
  std::string model;
};

struct DetokenizeOptions {
  std::string model;
};

struct BatchOptions {
  std::string model;
  std::string input;
  std::string output;
};

using Command = std::variant<InfoOptions, RunOptions, ScoreOptions, TokenizeOptions,
                             DetokenizeOptions, BatchOptions>;

struct CommandLine {
  std::optional<Command> command;
  std::string text;  // without a command: what to print to standard output (help, version)
};

// Throws Error (kUsage) that names the option, what was found and what was expected.
CommandLine ParseCommandLine(int argc, const char* const* argv);

}  // namespace cedar

#endif  // CEDAR_APP_OPTIONS_H_
