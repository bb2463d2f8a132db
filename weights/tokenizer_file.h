#ifndef CEDAR_WEIGHTS_TOKENIZER_FILE_H_
#define CEDAR_WEIGHTS_TOKENIZER_FILE_H_

// What a tokenizer.json says, checked but not yet put to work.

#include <string>
#include <string_view>
#include <vector>

#include "weights/bpe.h"
#include "weights/control_tokens.h"

namespace cedar {

struct TokenizerFile {
  std::vector<std::string> texts;      // of all tokens, by id, as the file spells them
  std::vector<ControlToken> controls;  // the added tokens
  std::vector<Merge> merges;           // in order of rank
  std::vector<std::string> patterns;   // of the Split steps, in order
};

// Reads the file of a byte-level BPE in the format of Hugging Face tokenizers. `file` is its name
// in errors. Everything that could change ids must be of the one kind that we implement (text.md,
// A.1), or it is an Error (kModel) that names the file and the key, with what was found and what
// was expected. The keys truncation and padding, and the flag `special`, say nothing about ids and
// are not looked at.
TokenizerFile ParseTokenizerFile(std::string_view json, const std::string& file);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_TOKENIZER_FILE_H_
