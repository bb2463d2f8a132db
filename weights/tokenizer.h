#ifndef CEDAR_WEIGHTS_TOKENIZER_H_
#define CEDAR_WEIGHTS_TOKENIZER_H_

// Text to token ids and back: the byte-level BPE of a tokenizer.json (text.md, section A).
//
// Two kinds of token: those of the vocabulary, which stand for bytes, and the added ones, which we
// call control tokens (<｜User｜>, </think>, ...). Whether a control token that is spelled out in
// text counts as one is the caller's choice, by method: text of a user goes through EncodePlain.
//
// Immutable after construction; every method may be called from several threads at once.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weights/bpe.h"
#include "weights/control_tokens.h"
#include "weights/pre_tokenizer.h"

namespace cedar {

struct TokenizerFile;

class Tokenizer {
 public:
  // json: the bytes of a tokenizer.json; `file` is its name in errors. Damaged JSON, a step of a
  // kind that we do not know, ids that repeat or leave a gap: Error (kModel) naming file and key.
  Tokenizer(std::string_view json, const std::string& file);

  // Number of tokens; ids are 0 .. size() - 1.
  int32_t size() const { return static_cast<int32_t>(texts_.size()); }

  // Text must be valid UTF-8 (FirstInvalidUtf8 in utf8.h). No BOS is added. A byte without a token
  // is an Error (kInput) that names it.
  //
  // Control tokens spelled out in `text` become control tokens.
  std::vector<int32_t> EncodeWithControl(std::string_view text) const;
  // No control token ever comes out, whatever `text` spells.
  std::vector<int32_t> EncodePlain(std::string_view text) const;

  // The bytes of the ids one after the other, not always valid UTF-8. An id out of range is an
  // Error (kInput). To show tokens while they are made, use StreamDecoder.
  std::string Decode(std::span<const int32_t> ids) const;

  // The bytes that a token stands for, and its text in tokenizer.json; id in range.
  std::string_view TokenBytes(int32_t id) const;
  std::string_view TokenText(int32_t id) const;

  // Bytes of the longest token that is no control token: no text has fewer tokens than its bytes
  // divided by these.
  size_t longest_token() const { return longest_token_; }

  bool IsControl(int32_t id) const;
  // The id of the control token with this text, if the tokenizer has one.
  std::optional<int32_t> FindControl(std::string_view text) const { return controls_.Find(text); }

 private:
  Tokenizer(TokenizerFile parsed, const std::string& file);

  std::vector<std::string> texts_;  // by id
  std::vector<std::string> bytes_;  // by id
  std::vector<bool> is_control_;    // by id
  size_t longest_token_ = 1;
  ControlTokens controls_;
  PreTokenizer pre_tokenizer_;
  Bpe bpe_;
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_TOKENIZER_H_
