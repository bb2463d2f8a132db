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
  std::random_device device;
  answer.seed = options.seed ? *options.seed : uint64_t{device()} << 32 | device();
  return answer;
}

void SayDrawnSeed(const RunOptions& options, const AnswerOptions& answer) {
  if (options.seed) return;
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(answer.seed));
}

}  // namespace cedar
