#ifndef CEDAR_WEIGHTS_VOCABULARY_H_
#define CEDAR_WEIGHTS_VOCABULARY_H_

// Where tokenizer and model meet: they must have the same tokens, and the Engram hash is made from
// both.

#include <optional>
#include <string>

#include "weights/config.h"
#include "weights/engram_hash.h"
#include "weights/tokenizer.h"

namespace cedar {

// The hash of the model's Engram lookups, or nothing for a model without. `file` is the tokenizer's
// name in errors. Throws Error (kModel) if the tokens are not those that the model has rows for.
std::optional<EngramHash> MakeEngramHash(const ModelConfig& config, const Tokenizer& tokenizer,
                                         const std::string& file);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_VOCABULARY_H_
