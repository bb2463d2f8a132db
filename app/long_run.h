#ifndef CEDAR_APP_LONG_RUN_H_
#define CEDAR_APP_LONG_RUN_H_

// Whether a run makes up for the time it takes to read the weights into memory of our own.

#include <cstddef>
#include <cstdint>

namespace cedar {

// Answers that a run is known to give before it starts. None where nobody knows how long it will
// be: input from a pipe, a chat, a single answer, which somebody waits for and which may be short.
struct KnownWork {
  size_t answers = 0;
  size_t tokens = 0;   // of each, as far as it can be told
  size_t at_once = 1;  // answers that share a step, at most
};

// weights: bytes in all; token: those of them that one generated token reads.
//
// What can gain by huge pages, and by rows in the memory of the node that reads them, is to read
// weights, which generated tokens do: on one node up to a tenth of the time was measured, and
// sometimes nothing. Prompts are bound by arithmetic and gain nothing, so they do not count. To
// load takes as long as 10 to 50 times to read the weights from memory. A run that reads them 512
// times is long: loading costs it a tenth at most.
bool IsLong(const KnownWork& work, uint64_t weights, uint64_t token);

}  // namespace cedar

#endif  // CEDAR_APP_LONG_RUN_H_
