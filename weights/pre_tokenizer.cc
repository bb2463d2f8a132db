#include "weights/pre_tokenizer.h"

#include <pcre2.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "simd/error.h"
#include "weights/split_pattern.h"
#include "weights/utf8.h"

namespace cedar {
namespace {

struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

std::string PcreMessage(int code) {
  PCRE2_UCHAR text[256];
  if (pcre2_get_error_message(code, text, sizeof text) < 0) return "error " + std::to_string(code);
  return reinterpret_cast<const char*>(text);
}

PCRE2_SPTR Units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

// What one thread needs to match; a compiled pattern itself is shared.
class Matcher {
 public:
  Matcher()
      : match_(pcre2_match_data_create(1, nullptr)), context_(pcre2_match_context_create(nullptr)) {
    if (!match_ || !context_) throw std::bad_alloc();
    // A long piece takes many steps; only a pattern that never ends would be stopped by a limit.
    pcre2_set_match_limit(context_.get(), std::numeric_limits<uint32_t>::max());
    pcre2_set_depth_limit(context_.get(), std::numeric_limits<uint32_t>::max());
    pcre2_set_heap_limit(context_.get(), std::numeric_limits<uint32_t>::max());
  }

  // The first match in `piece` at or after `from`, as its two ends.
  std::optional<std::pair<size_t, size_t>> Next(const pcre2_code* code, std::string_view piece,
                                                size_t from) {
    int found = Run(code, piece, from, PCRE2_NO_UTF_CHECK);
    // Compiled code has a small fixed stack; the interpreter takes its memory from the heap.
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
      found = Run(code, piece, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT);
    }
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0) {
      throw Error(ErrorKind::kInput, "text: cannot be split into pieces: " + PcreMessage(found));
    }
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match_.get());
    return std::pair(ends[0], ends[1]);
  }

 private:
  int Run(const pcre2_code* code, std::string_view piece, size_t from, uint32_t options) {
    return pcre2_match(code, Units(piece), piece.size(), from, options, match_.get(),
                       context_.get());
  }

  std::unique_ptr<pcre2_match_data, FreeMatch> match_;
  std::unique_ptr<pcre2_match_context, FreeMatch> context_;
};

// Gives `take` the pieces into which the matches of a pattern cut `piece`, matches and gaps alike.
template <typename Take>
void Isolate(const pcre2_code* code, Matcher& matcher, std::string_view piece, const Take& take) {
  size_t begin = 0;  // of what is not yet in `out`
  size_t from = 0;
  while (from < piece.size()) {
    const auto match = matcher.Next(code, piece, from);
    if (!match) break;
    const auto [first, last] = *match;
    if (first == last) {  // an empty match cuts nothing: go on behind the next character
      if (first == piece.size()) break;
      from = first + FirstUtf8Unit(piece.substr(first)).length;
      continue;
    }
    if (first > begin) take(piece.substr(begin, first - begin));
    take(piece.substr(first, last - first));
    begin = from = last;
  }
  if (begin < piece.size()) take(piece.substr(begin));
}

pcre2_code* Compile(const std::string& pattern, const std::string& where) {
  const std::string translated = PcrePattern(pattern, where);
  int code = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* compiled =
      pcre2_compile(Units(translated), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &at, nullptr);
  if (compiled == nullptr) {
    throw Error(ErrorKind::kModel, where + ": \"" + pattern + "\": " + PcreMessage(code));
  }
  // Fails where the system forbids making code at run time; then the interpreter serves.
  pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
  return compiled;
}

}  // namespace

void PreTokenizer::FreeCode::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

PreTokenizer::PreTokenizer(const std::vector<std::string>& patterns, const std::string& file) {
  for (const std::string& pattern : patterns) {
    patterns_.emplace_back(Compile(pattern, file + ": pre_tokenizer: pattern"));
  }
}

// Goes through the patterns for one piece after the other: lists of all pieces would take several
// times the memory of the text.
void PreTokenizer::Split(std::string_view text, const TakePiece& take) const {
  Matcher matcher;
  const auto split = [&](const auto& self, size_t pattern, std::string_view piece) -> void {
    if (pattern == patterns_.size()) return take(piece);
    Isolate(patterns_[pattern].get(), matcher, piece,
            [&](std::string_view part) { self(self, pattern + 1, part); });
  };
  if (!text.empty()) split(split, 0, text);
}

}  // namespace cedar
