#ifndef CEDAR_TESTS_WEIGHTS_TOKENIZER_DATA_H_
#define CEDAR_TESTS_WEIGHTS_TOKENIZER_DATA_H_

// The tokenizers that tests work with; each is made once per test program.

#include <string>
#include <vector>

#include "weights/tokenizer.h"

namespace cedar {

// A file, by its path from tests/data/tokenizer; one that ends in .gz is unpacked.
std::string ReadTokenizerData(const std::string& name);

const Tokenizer& RealTokenizer();  // of the release, 129,280 tokens
const Tokenizer& DemoTokenizer();  // of the demo model, 1024 tokens

// A small but complete tokenizer.json: the 256 bytes as ids 0 to 255 in order, then `texts`, which
// the merges ("a b") make; no control tokens; it splits nothing.
std::string SmallTokenizerJson(const std::vector<std::string>& texts,
                               const std::vector<std::string>& merges);

}  // namespace cedar

#endif  // CEDAR_TESTS_WEIGHTS_TOKENIZER_DATA_H_
