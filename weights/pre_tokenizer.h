#ifndef CEDAR_WEIGHTS_PRE_TOKENIZER_H_
#define CEDAR_WEIGHTS_PRE_TOKENIZER_H_

// Cuts text into the pieces inside which byte pairs may merge (text.md, A.1).

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct pcre2_real_code_8;  // a compiled PCRE2 pattern

namespace cedar {

class PreTokenizer {
 public:
  // `patterns`: the regular expressions of the file's Split steps, in order. One that does not
  // compile, or uses what PCRE2 reads differently, is an Error (kModel) that names `file`.
  PreTokenizer(const std::vector<std::string>& patterns, const std::string& file);
  PreTokenizer(PreTokenizer&&) = default;
  PreTokenizer& operator=(PreTokenizer&&) = default;

  using TakePiece = std::function<void(std::string_view)>;

  // Gives `take` the pieces of `text` (valid UTF-8), in order, none empty; joined they are `text`.
  // Each pattern isolates its matches inside every piece left by the one before, and sees that
  // piece alone. May be called from several threads at once.
  void Split(std::string_view text, const TakePiece& take) const;

 private:
  struct FreeCode {
    void operator()(pcre2_real_code_8* code) const;
  };
  using Pattern = std::unique_ptr<pcre2_real_code_8, FreeCode>;

  std::vector<Pattern> patterns_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_PRE_TOKENIZER_H_
