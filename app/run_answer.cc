#include "app/run_answer.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "app/grammar_cache.h"
#include "app/json_text.h"
#include "app/text_input.h"
#include "simd/error.h"

namespace cedar {

namespace {

// Where always the likeliest token is taken nothing is drawn.
bool DrawsSeed(const RunOptions& options) {
  return !options.seed && options.sampling.temperature != 0;
}

}  // namespace

AnswerOptions AnswerFor(const RunOptions& options, const Engine& engine) {
  AnswerOptions answer;
  answer.sampling = options.sampling;
  answer.thinking = options.effort.has_value() && !options.raw;
  answer.raw = options.raw;
  answer.max_thinking = options.max_thinking;
  if (options.json_schema) {
    const auto schema = ParseJson(ReadFile(*options.json_schema), *options.json_schema);
    answer.grammar = GrammarCache(engine.tokenizer()).Get(&schema);
  }
  if (options.seed) {
    answer.seed = *options.seed;
  } else if (DrawsSeed(options)) {
    std::random_device device;
    answer.seed = uint64_t{device()} << 32 | device();
  }
  return answer;
}

void SayDrawnSeed(const RunOptions& options, const AnswerOptions& answer) {
  if (!DrawsSeed(options)) return;
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(answer.seed));
}

}  // namespace cedar
