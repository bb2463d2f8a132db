#ifndef CEDAR_WEIGHTS_ENGRAM_TOKEN_MAP_H_
#define CEDAR_WEIGHTS_ENGRAM_TOKEN_MAP_H_

// The compressed vocabulary over which Engram hashes n-grams (text.md, section B).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/tokenizer.h"

namespace cedar {

// Token id -> compressed id, [tokenizer.size()]. Tokens whose normalised text is the same share one
// compressed id; these are numbered 0, 1, 2, ... in order of first use.
std::vector<int32_t> EngramTokenMap(const Tokenizer& tokenizer);

// NFKC, NFD, without combining marks (categories Mn, Mc and Me), lower case per code point, runs of
// space, tab, CR and LF as one space, without White_Space at either end; a lone space stays.
// `text` must be valid UTF-8.
std::string NormaliseForEngram(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_ENGRAM_TOKEN_MAP_H_
