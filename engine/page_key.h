#ifndef CEDAR_ENGINE_PAGE_KEY_H_
#define CEDAR_ENGINE_PAGE_KEY_H_

// Names of pages of global KV: what a page holds follows from the model, the way it computes, and
// all tokens up to the page's end, so a hash of these names it.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace cedar {

struct PageKey {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const PageKey&) const = default;
};

// A key of any bytes.
PageKey KeyOf(std::span<const uint8_t> bytes);
// The key of a page that follows `before` (of a first page: the model's own key) and holds
// `tokens`.
PageKey KeyOfNext(const PageKey& before, std::span<const int32_t> tokens);
// 32 hexadecimal digits.
std::string KeyText(const PageKey& key);

}  // namespace cedar

template <>
struct std::hash<cedar::PageKey> {
  size_t operator()(const cedar::PageKey& key) const { return key.low; }
};

#endif  // CEDAR_ENGINE_PAGE_KEY_H_
