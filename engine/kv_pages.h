#ifndef CEDAR_ENGINE_KV_PAGES_H_
#define CEDAR_ENGINE_KV_PAGES_H_

// The global KV in pages (model.md, Attention): a page holds what every KV
// source publishes for a fixed run of tokens. Sequences take pages as they grow, and may share
// those of a common prefix.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simd/memory.h"
#include "weights/config.h"
#include "weights/layer_plan.h"

namespace cedar {

// Where the compressed rows and index keys of one KV source lie in a page.
struct KvPageSource {
  size_t ratio = 1;  // tokens in a group
  size_t rows = 0;   // in a page
  size_t row_bytes = 0;
  size_t key_bytes = 0;
  size_t rows_at = 0;  // offset of [rows][row_bytes]
  size_t keys_at = 0;  // offset of [rows][key_bytes]
};

struct KvPageLayout {
  KvPageLayout(const ModelConfig& config, const LayerPlan& plan);

  size_t tokens = 0;  // of a page: no group is cut by its end
  size_t bytes = 0;
  std::vector<KvPageSource> sources;  // in the order of LayerPlan::kv_sources

  size_t PagesFor(size_t positions) const { return (positions + tokens - 1) / tokens; }
};

// A fixed number of pages, allocated at once. Pages are counted references.
class KvPages {
 public:
  // Throws Error (kModel) when the memory is not to be had.
  KvPages(const KvPageLayout& layout, size_t capacity);

  const KvPageLayout& layout() const { return layout_; }
  size_t capacity() const { return references_.size(); }
  size_t free() const { return free_.size(); }
  uint8_t* data(size_t page) const { return memory_.data() + page * layout_.bytes; }

  size_t Take();  // a page with one reference. REQUIRES: free() > 0.
  void Share(size_t page);
  void Release(size_t page);

 private:
  KvPageLayout layout_;
  std::vector<uint32_t> references_;  // by page
  std::vector<size_t> free_;          // the next one to take is the last
  simd::Memory memory_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_KV_PAGES_H_
