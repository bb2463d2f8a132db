#ifndef CEDAR_TESTS_ENGINE_RECORDER_H_
#define CEDAR_TESTS_ENGINE_RECORDER_H_

// Keeps everything that a forward pass shows of itself.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/observer.h"
#include "simd/formats.h"

namespace cedar {

class Recorder : public BlockObserver {
 public:
  struct LayerAndPosition {
    size_t layer;
    size_t position;
    auto operator<=>(const LayerAndPosition&) const = default;
  };
  template <typename T>
  using Trace = std::map<LayerAndPosition, std::vector<T>>;

  Trace<Bf16> streams, attn_in, attn_out, ffn_in, ffn_out;
  Trace<float> pre;
  Trace<int32_t> experts;     // ascending
  Trace<int32_t> selections;  // ascending

  void OnBlock(size_t layer, size_t position, std::span<const Bf16> h,
               std::span<const float> mix) override {
    Keep(streams, layer, position, h);
    Keep(pre, layer, position, mix);
  }
  void OnAttention(size_t layer, size_t position, std::span<const Bf16> in,
                   std::span<const Bf16> out) override {
    Keep(attn_in, layer, position, in);
    Keep(attn_out, layer, position, out);
  }
  void OnMoe(size_t layer, size_t position, std::span<const Bf16> in,
             std::span<const Bf16> out) override {
    Keep(ffn_in, layer, position, in);
    Keep(ffn_out, layer, position, out);
  }
  void OnExperts(size_t layer, size_t position, std::span<const int32_t> ids) override {
    std::vector<int32_t>& kept = Keep(experts, layer, position, ids);
    std::sort(kept.begin(), kept.end());
  }
  void OnSelection(size_t layer, size_t position, std::span<const int32_t> rows) override {
    Keep(selections, layer, position, rows);
  }

 private:
  template <typename T>
  static std::vector<T>& Keep(Trace<T>& trace, size_t layer, size_t position,
                              std::span<const T> values) {
    return trace[{layer, position}] = std::vector<T>(values.begin(), values.end());
  }
};

}  // namespace cedar

#endif  // CEDAR_TESTS_ENGINE_RECORDER_H_
