#ifndef CEDAR_WEIGHTS_SYNTHETIC_CONFIG_H_
#define CEDAR_WEIGHTS_SYNTHETIC_CONFIG_H_

// config.json and tokenizer.json of a synthetic checkpoint.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cedar {

struct SyntheticShape {
  std::optional<size_t> experts = {};  // n_routed_experts
  std::optional<size_t> layers = {};   // half of them encoder, each kind as in the release
  std::optional<size_t> vocab = {};
};

struct SyntheticModel {
  std::string config;     // text of config.json
  std::string tokenizer;  // text of tokenizer.json
};

// The release's widths in eight layers (compress ratios 0, 0, 2, 2 | 1, 1, 1, 1) with 32 experts
// and a small vocabulary and Engram: every kind of layer, in under 8 GB.
std::string SliceConfig();

// A model after a config.json, changed as `shape` says; draft layers and vision are left out, and
// what depends on the vocabulary or the layers is made anew. `file` is the config's name in errors
// (kModel).
SyntheticModel MakeSyntheticModel(std::string_view config, const std::string& file,
                                  const SyntheticShape& shape);

// A byte-level tokenizer: every byte, the control tokens of chat text, and place holders up to
// `vocab`. Error (kUsage) when the vocabulary is too small for that.
std::string SyntheticTokenizer(size_t vocab);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SYNTHETIC_CONFIG_H_
