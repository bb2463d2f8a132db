#include "engine/kv_pages.h"

#include <numeric>

#include "engine/arena.h"
#include "simd/error.h"
#include "simd/formats.h"

namespace cedar {
namespace {

// Small enough that the last page of a sequence wastes little, large enough that scoring the index
// keys of a page is worth a call.
constexpr size_t kLeastTokens = 128;

size_t TokensOfPage(const LayerPlan& plan) {
  size_t groups = 1;
  for (const KvSource& source : plan.kv_sources) {
    groups = std::lcm(groups, static_cast<size_t>(source.ratio));
  }
  return (kLeastTokens + groups - 1) / groups * groups;
}

}  // namespace

KvPageLayout::KvPageLayout(const ModelConfig& config, const LayerPlan& plan)
    : tokens(TokensOfPage(plan)) {
  Arena arena(nullptr);
  for (const KvSource& planned : plan.kv_sources) {
    KvPageSource source;
    source.ratio = static_cast<size_t>(planned.ratio);
    source.rows = tokens / source.ratio;
    source.row_bytes = CompressedRowBytes(config.head_dim);
    source.key_bytes = IndexKeyBytes(config.index_head_dim);
    source.rows_at = arena.used();
    arena.Take<uint8_t>(source.rows * source.row_bytes);
    source.keys_at = arena.used();
    arena.Take<uint8_t>(source.rows * source.key_bytes);
    sources.push_back(source);
  }
  bytes = arena.used();
}

KvPages::KvPages(const KvPageLayout& layout, size_t capacity)
    : layout_(layout), references_(capacity), memory_(capacity * layout.bytes, "global KV") {
  for (size_t page = capacity; page > 0; --page) free_.push_back(page - 1);
}

size_t KvPages::Take() {
  CEDAR_CHECK(!free_.empty());
  const size_t page = free_.back();
  free_.pop_back();
  references_[page] = 1;
  return page;
}

void KvPages::Share(size_t page) {
  CEDAR_CHECK(references_[page] > 0);
  ++references_[page];
}

void KvPages::Release(size_t page) {
  CEDAR_CHECK(references_[page] > 0);
  if (--references_[page] == 0) free_.push_back(page);
}

}  // namespace cedar
