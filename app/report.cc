#include "app/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace cedar {
namespace {

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

// 12345 -> "12.3 k": three digits, below 1000 the whole number. `prefixes`: of 1000, 1000^2, ...
std::string FormatScaled(double value, std::string_view prefixes, const std::string& unit) {
  std::string suffix = unit;
  for (const char prefix : prefixes) {
    if (value < 999.5) break;
    value /= 1000;
    suffix = prefix + unit;
  }
  const bool whole = suffix == unit || value >= 99.95;
  const std::string number = Format(whole ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value);
  return suffix.empty() ? number : number + " " + suffix;
}

std::string Rate(size_t tokens, double seconds) {
  if (tokens == 0 || seconds <= 0) return "";
  return " (" + Format("%.1f", static_cast<double>(tokens) / seconds) + " tokens/s)";
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void RunFigures::Add(const AnswerFigures& answer) {
  sum_.prompt_tokens += answer.prompt_tokens;
  sum_.generated_tokens += answer.generated_tokens;
  sum_.prefill_seconds += answer.prefill_seconds;
  sum_.decode_seconds += answer.decode_seconds;
  first_token_seconds_.push_back(answer.first_token_seconds);
}

std::string RunFigures::Text(size_t plan_bytes) const {
  const size_t answers = first_token_seconds_.size();
  // The first token of an answer comes from the prompt's logits: it costs no decode step.
  const size_t decoded = sum_.generated_tokens - std::min(answers, sum_.generated_tokens);
  return "tokens in:  " + std::to_string(sum_.prompt_tokens) + ", prefill " +
         Format("%.3f s", sum_.prefill_seconds) + Rate(sum_.prompt_tokens, sum_.prefill_seconds) +
         "\ntokens out: " + std::to_string(sum_.generated_tokens) + ", decode " +
         Format("%.3f s", sum_.decode_seconds) + Rate(decoded, sum_.decode_seconds) +
         "\ntime to first token: " + Format("%.3f s", Median(first_token_seconds_)) +
         (answers > 1 ? " (median of " + std::to_string(answers) + ")" : "") +
         "\nmemory: " + FormatBytes(static_cast<double>(plan_bytes)) + " planned, " +
         FormatBytes(static_cast<double>(PeakResidentBytes())) +
         " resident at most, weights included\n";
}

size_t AnonymousBytes() {
  std::ifstream status("/proc/self/status");
  std::string key;
  size_t kib = 0;
  while (status >> key) {
    if (key == "RssAnon:" && status >> kib) break;
  }
  return kib << 10;
}

size_t PeakResidentBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

std::string FormatBytes(double bytes) { return FormatScaled(bytes, "kMGTP", "B"); }
std::string FormatCount(double count) { return FormatScaled(count, "kMBT", ""); }

}  // namespace cedar
