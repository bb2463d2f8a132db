#include "weights/tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simd/error.h"
#include "weights/byte_alphabet.h"
#include "weights/tokenizer_file.h"
#include "weights/utf8.h"

namespace cedar {
namespace {

// The token of each byte value. A control token is none, even if one byte is its whole text.
std::array<int32_t, 256> ByteTokens(const std::vector<std::string>& texts,
                                    const std::vector<bool>& is_control) {
  std::array<int32_t, 256> tokens;
  tokens.fill(Bpe::kNoToken);
  for (size_t id = 0; id < texts.size(); ++id) {
    if (is_control[id] || texts[id].size() > 2) continue;  // no byte's character is longer
    const std::optional<std::string> bytes = BytesFromAlphabet(texts[id]);
    if (bytes && bytes->size() == 1) tokens[static_cast<uint8_t>((*bytes)[0])] = id;
  }
  return tokens;
}

std::vector<bool> ControlFlags(size_t size, const std::vector<ControlToken>& controls) {
  std::vector<bool> flags(size);
  for (const ControlToken& token : controls) flags[token.id] = true;
  return flags;
}

}  // namespace

Tokenizer::Tokenizer(std::string_view json, const std::string& file)
    : Tokenizer(ParseTokenizerFile(json, file), file) {}

Tokenizer::Tokenizer(TokenizerFile parsed, const std::string& file)
    : texts_(std::move(parsed.texts)),
      is_control_(ControlFlags(texts_.size(), parsed.controls)),
      controls_(parsed.controls),
      pre_tokenizer_(parsed.patterns, file),
      bpe_(ByteTokens(texts_, is_control_), parsed.merges) {
  bytes_.reserve(texts_.size());
  for (size_t id = 0; id < texts_.size(); ++id) {
    std::optional<std::string> bytes;
    if (!is_control_[id]) bytes = BytesFromAlphabet(texts_[id]);
    bytes_.push_back(bytes ? std::move(*bytes) : texts_[id]);
    if (!is_control_[id]) longest_token_ = std::max(longest_token_, bytes_[id].size());
  }
}

std::vector<int32_t> Tokenizer::EncodeWithControl(std::string_view text) const {
  std::vector<int32_t> ids;
  for (const TextSegment& segment : controls_.Split(text)) {
    if (segment.control) {
      ids.push_back(*segment.control);
    } else {
      const std::vector<int32_t> plain = EncodePlain(segment.text);
      ids.insert(ids.end(), plain.begin(), plain.end());
    }
  }
  return ids;
}

std::vector<int32_t> Tokenizer::EncodePlain(std::string_view text) const {
  CEDAR_CHECK(!FirstInvalidUtf8(text));
  constexpr size_t kTogether = 1024;   // pieces
  constexpr size_t kBytesOfToken = 3;  // or more, in most texts
  std::vector<int32_t> ids;
  ids.reserve(text.size() / kBytesOfToken + 1);
  std::vector<std::string_view> pieces;
  pre_tokenizer_.Split(text, [&](std::string_view piece) {
    pieces.push_back(piece);
    if (pieces.size() < kTogether) return;
    bpe_.Encode(pieces, ids);
    pieces.clear();
  });
  bpe_.Encode(pieces, ids);
  return ids;
}

std::string Tokenizer::Decode(std::span<const int32_t> ids) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (id < 0 || id >= size()) {
      throw Error(ErrorKind::kInput, "ids: found " + std::to_string(id) +
                                         ", expected one from 0 to " + std::to_string(size() - 1));
    }
    bytes += bytes_[id];
  }
  return bytes;
}

std::string_view Tokenizer::TokenBytes(int32_t id) const {
  CEDAR_CHECK(id >= 0 && id < size());
  return bytes_[id];
}

std::string_view Tokenizer::TokenText(int32_t id) const {
  CEDAR_CHECK(id >= 0 && id < size());
  return texts_[id];
}

bool Tokenizer::IsControl(int32_t id) const {
  CEDAR_CHECK(id >= 0 && id < size());
  return is_control_[id];
}

}  // namespace cedar
