#ifndef CEDAR_WEIGHTS_STREAM_DECODER_H_
#define CEDAR_WEIGHTS_STREAM_DECODER_H_

// Turns generated ids into text that is valid UTF-8 at every moment.

#include <cstdint>
#include <string>
#include <string_view>

#include "weights/tokenizer.h"

namespace cedar {

// A code point may be spread over several tokens: its first bytes are held back until it is whole.
// Bytes that can never become a code point come out as U+FFFD as soon as that is certain.
class StreamDecoder {
 public:
  // The tokenizer must outlive the decoder.
  explicit StreamDecoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // The text that became certain with this token; id in range.
  std::string Push(int32_t id);

  // What was held back, as U+FFFD; the decoder is as new afterwards.
  std::string Finish();

 private:
  const Tokenizer& tokenizer_;
  std::string held_;  // the start of a code point, at most 3 bytes
};

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_STREAM_DECODER_H_
