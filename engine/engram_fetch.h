#ifndef CEDAR_ENGINE_ENGRAM_FETCH_H_
#define CEDAR_ENGINE_ENGRAM_FETCH_H_

// The Engram tables may be larger than the memory, so that rows come from the disk. Which ones a
// token looks up follows from it and the few tokens before it (model.md, Engram): the disk is asked
// as soon as these are known, long before the first layer that adds rows. While a chunk of a prompt
// is computed, the rows of the next one come; those of a generated token, from the moment it is
// drawn.
//
// Nobody waits for what was asked: a row that has not come is read when it is used. Each position
// is asked for once (Sequence::engrams_asked), since to look whether a page is there costs about a
// microsecond; and few are where the tables lie in memory (engine/cached_tables.h).

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/forward.h"
#include "engine/step.h"

namespace cedar {

// Asks for the rows of the tokens of this step that nobody has asked for.
// REQUIRES: the sequences' histories reach to the rows' own tokens.
void FetchEngrams(const Forward& f, const Step& step);

// Asks for those of tokens that the histories hold behind this step: the rest of prompts. To be
// called again and again while the step is computed: each time it asks for as many as the
// prefetcher has room for, and in all for no more than the largest step can take.
void FetchNextEngrams(const Forward& f, const Step& step);

// The same for a prompt, `tokens` from its beginning, from token `asked` on; moves `asked` on.
void FetchPromptEngrams(const Forward& f, std::span<const int32_t> tokens, size_t& asked);

// A token that will follow the history of a sequence.
struct DrawnToken {
  Sequence* sequence;
  int32_t token;
};

// Asks for those of some such tokens, all threads together.
void FetchDrawnEngrams(const Forward& f, std::span<const DrawnToken> drawn);

}  // namespace cedar

#endif  // CEDAR_ENGINE_ENGRAM_FETCH_H_
