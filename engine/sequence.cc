#include "engine/sequence.h"

#include <algorithm>
#include <cstring>

#include "simd/error.h"

namespace cedar {
namespace {

std::vector<WindowRing> LayOutWindows(const ModelConfig& config, Arena& arena) {
  const size_t row_bytes = WindowRowBytes(config.head_dim);
  std::vector<WindowRing> windows;
  for (int i = 0; i < config.layers; ++i) {
    uint8_t* const rows = arena.Take<uint8_t>(config.window * row_bytes);
    windows.emplace_back(rows, config.window, row_bytes);
  }
  return windows;
}

std::vector<CompressedKv> LayOutGroups(const ModelConfig& config, const KvPageLayout& layout,
                                       Arena& arena) {
  std::vector<CompressedKv> sources;
  for (const KvPageSource& source : layout.sources) {
    CompressedKv kv;
    kv.layout = source;
    kv.group_dim = config.head_dim;
    kv.group_kv = arena.Take<float>((source.ratio - 1) * config.head_dim);
    kv.group_gate = arena.Take<float>((source.ratio - 1) * config.head_dim);
    sources.push_back(kv);
  }
  return sources;
}

PendingRows LayOutPending(const ModelConfig& config, size_t reach, Arena& arena) {
  PendingRows pending;
  pending.reach = reach;
  pending.hc = config.hc;
  pending.row_values = config.streams_width();
  pending.streams = arena.Take<Bf16>(reach * pending.row_values);
  pending.pre = arena.Take<float>(reach * pending.hc);
  return pending;
}

// Where everything lies; counts when the arena is null.
struct Layout {
  std::vector<WindowRing> windows;
  std::vector<CompressedKv> compressed;
  PendingRows pending;
  SequenceBytes bytes;
};

Layout LayOut(const ModelConfig& config, const LayerPlan& plan, size_t context, Replay replay,
              uint8_t* base) {
  Layout out;
  Arena arena(base);
  out.windows = LayOutWindows(config, arena);
  out.bytes.windows = arena.used();
  out.compressed = LayOutGroups(config, KvPageLayout(config, plan), arena);
  // Never more rows than the context has positions.
  const size_t reach = std::min(ReplayReach(config, plan, replay), context);
  out.pending = LayOutPending(config, reach, arena);
  out.bytes.pending = arena.used() - out.bytes.windows;
  return out;
}

}  // namespace

void PendingRows::Append(const Bf16* new_streams, const float* new_pre, size_t n) {
  const size_t taken = std::min(n, reach);
  const size_t kept = std::min(count, reach - taken);
  std::memmove(streams, streams + (count - kept) * row_values, kept * row_values * sizeof(Bf16));
  std::memmove(pre, pre + (count - kept) * hc, kept * hc * sizeof(float));
  std::memcpy(streams + kept * row_values, new_streams + (n - taken) * row_values,
              taken * row_values * sizeof(Bf16));
  std::memcpy(pre + kept * hc, new_pre + (n - taken) * hc, taken * hc * sizeof(float));
  count = kept + taken;
}

Sequence::Sequence(const ModelConfig& config, const LayerPlan& plan, KvPages& pages, size_t context,
                   Replay replay, StateSlots* slots)
    : context_(context), pool_(pages), slots_(slots) {
  const size_t bytes = CountSequenceBytes(config, plan, context, replay).fixed();
  if (slots != nullptr) {
    CEDAR_CHECK(bytes <= slots->slot_bytes());
    slot_ = slots->Take();
  } else {
    memory_ = simd::Memory(bytes, "sequence");
  }
  Layout layout = LayOut(config, plan, context, replay, slots ? slot_ : memory_.data());
  windows = std::move(layout.windows);
  compressed = std::move(layout.compressed);
  pending = layout.pending;
}

Sequence::~Sequence() {
  for (const size_t page : pages_) pool_.Release(page);
  if (slots_ != nullptr) slots_->Release(slot_);
}

size_t Sequence::PagesMissing(size_t positions) const {
  const size_t wanted = pool_.layout().PagesFor(positions);
  return wanted - std::min(wanted, pages_.size());
}

void Sequence::Grow(size_t positions) {
  for (size_t missing = PagesMissing(positions); missing > 0; --missing) {
    AddPage(pool_.Take());
  }
}

void Sequence::AddPage(size_t page) {
  pages_.push_back(page);
  for (CompressedKv& kv : compressed) kv.pages.push_back(pool_.data(page));
}

void Sequence::AdoptPage(size_t page, bool copy) {
  if (copy) {
    const size_t own = pool_.Take();
    std::memcpy(pool_.data(own), pool_.data(page), pool_.layout().bytes);
    AddPage(own);
  } else {
    pool_.Share(page);
    AddPage(page);
  }
}

void Sequence::ClearWindows() {
  for (WindowRing& ring : windows) ring.Clear(tokens.size());
  pending.count = 0;
}

SequenceBytes CountSequenceBytes(const ModelConfig& config, const LayerPlan& plan, size_t context,
                                 Replay replay) {
  return LayOut(config, plan, context, replay, nullptr).bytes;
}

}  // namespace cedar
