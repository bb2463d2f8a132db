#include "app/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace cedar {
namespace {

std::string Rate(size_t tokens, double seconds) {
  if (tokens == 0 || seconds <= 0) return "";
  return " (" + FormatFixed(static_cast<double>(tokens) / seconds, 1) + " tokens/s)";
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
         FormatFixed(sum_.prefill_seconds, 3) + " s" +
         Rate(sum_.prompt_tokens, sum_.prefill_seconds) +
         "\ntokens out: " + std::to_string(sum_.generated_tokens) + ", decode " +
         FormatFixed(sum_.decode_seconds, 3) + " s" + Rate(decoded, sum_.decode_seconds) +
         "\ntime to first token: " + FormatFixed(Median(first_token_seconds_), 3) + " s" +
         (answers > 1 ? " (median of " + std::to_string(answers) + ")" : "") +
         "\nmemory: " + FormatBytes(static_cast<double>(plan_bytes)) + " planned, " +
         FormatBytes(static_cast<double>(PeakResidentBytes())) +
         " resident at most, weights included\n";
}

ResidentBytes ResidentNow() {
  ResidentBytes bytes;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const size_t colon = std::min(line.find(':'), line.size());
    const std::string_view key = std::string_view(line).substr(0, colon);
    size_t* const value = key == "RssAnon"   ? &bytes.anonymous
                          : key == "RssFile" ? &bytes.files
                          : key == "VmHWM"   ? &bytes.peak
                                             : nullptr;
    if (value != nullptr) *value = std::strtoull(line.c_str() + colon + 1, nullptr, 10) << 10;
  }
  return bytes;
}

size_t AnonymousBytes() { return ResidentNow().anonymous; }

size_t PeakResidentBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace cedar
