#ifndef CEDAR_ENGINE_TOKEN_SET_H_
#define CEDAR_ENGINE_TOKEN_SET_H_

// A set of token ids, one bit for each id of a vocabulary.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cedar {

class TokenSet {
 public:
  static constexpr size_t kWordBits = 64;

  // Empty; for ids below `ids`.
  explicit TokenSet(size_t ids) : words_((ids + kWordBits - 1) / kWordBits) {}

  // The id is in range.
  void Add(int32_t id) { words_[WordOf(id)] |= BitOf(id); }
  bool Contains(int32_t id) const { return (words_[WordOf(id)] & BitOf(id)) != 0; }

  bool empty() const {
    return std::all_of(words_.begin(), words_.end(), [](uint64_t word) { return word == 0; });
  }
  size_t bytes() const { return words_.size() * sizeof(uint64_t); }

  // Calls f(id), ids ascending.
  template <class F>
  void ForEach(const F& f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t left = words_[i]; left != 0; left &= left - 1) {
        f(static_cast<int32_t>(i * kWordBits + static_cast<size_t>(std::countr_zero(left))));
      }
    }
  }

 private:
  static size_t WordOf(int32_t id) { return static_cast<size_t>(id) / kWordBits; }
  static uint64_t BitOf(int32_t id) { return uint64_t{1} << (static_cast<size_t>(id) % kWordBits); }

  std::vector<uint64_t> words_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_TOKEN_SET_H_
