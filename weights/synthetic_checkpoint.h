#ifndef CEDAR_WEIGHTS_SYNTHETIC_CHECKPOINT_H_
#define CEDAR_WEIGHTS_SYNTHETIC_CHECKPOINT_H_

// Writes a checkpoint of random weights in the released layout (checkpoint.md), straight to disk.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "weights/synthetic_config.h"

namespace cedar {

// Called with the bytes of weights that are written, of all.
using SynthProgress = std::function<void(size_t done, size_t total)>;

// Makes the directory, which must not hold a model yet, and writes config.json, tokenizer.json, the
// index and the shards. The same model and seed give the same bytes. Error (kInput) when something
// cannot be written, (kModel) when the config breaks a rule.
void WriteSyntheticCheckpoint(const std::string& directory, const SyntheticModel& model,
                              uint64_t seed, const SynthProgress& progress);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SYNTHETIC_CHECKPOINT_H_
