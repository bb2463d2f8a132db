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

uint64_t SeedOf(const RunOptions& options) {
  if (options.seed) return *options.seed;
  std::random_device device;
  const uint64_t seed = uint64_t{device()} << 32 | device();
  std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

AnswerOptions AnswerFor(const RunOptions& options, const Engine& engine, uint64_t seed) {
  AnswerOptions answer;
  answer.sampling = options.sampling;
  answer.seed = seed;
  answer.thinking = options.effort.has_value() && !options.raw;
  answer.raw = options.raw;
  if (options.json_schema) {
    const auto schema = ParseJson(ReadFile(*options.json_schema), *options.json_schema);
    answer.grammar = GrammarCache(engine.tokenizer()).Get(&schema);
  }
  return answer;
}

}  // namespace cedar
