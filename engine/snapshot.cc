#include "engine/snapshot.h"

#include <cstring>
#include <span>

#include "simd/error.h"

namespace cedar {
namespace {

template <typename T>
std::span<uint8_t> Bytes(T* data, size_t values) {
  return {reinterpret_cast<uint8_t*>(data), values * sizeof(T)};
}

// The parts of a sequence's fixed memory that are in use, in a fixed order.
std::vector<std::span<uint8_t>> PartsInUse(const Sequence& s) {
  std::vector<std::span<uint8_t>> parts;
  for (const WindowRing& ring : s.windows) {
    if (ring.end() > ring.begin()) parts.push_back(ring.memory());
  }
  for (const CompressedKv& kv : s.compressed) {
    const size_t values = kv.group_count * kv.group_dim;
    parts.push_back(Bytes(kv.group_kv, values));
    parts.push_back(Bytes(kv.group_gate, values));
  }
  parts.push_back(Bytes(s.pending.streams, s.pending.count * s.pending.row_values));
  parts.push_back(Bytes(s.pending.pre, s.pending.count * s.pending.hc));
  return parts;
}

}  // namespace

Snapshot::Snapshot(const Sequence& sequence, size_t position, StateSlots& slots)
    : pool_(sequence.pool()),
      position_(position),
      pending_count_(sequence.pending.count),
      slots_(slots),
      state_(slots.Take()) {
  for (const WindowRing& ring : sequence.windows) rings_.push_back({ring.begin(), ring.end()});
  for (const CompressedKv& kv : sequence.compressed) {
    CEDAR_CHECK(kv.count == position / kv.layout.ratio);
    sources_.push_back({kv.count, kv.group_count});
  }
  const size_t pages = pool_.layout().PagesFor(position);
  pages_.assign(sequence.pages().begin(), sequence.pages().begin() + static_cast<long>(pages));
  for (const size_t page : pages_) pool_.Share(page);

  const std::vector<std::span<uint8_t>> parts = PartsInUse(sequence);
  uint8_t* at = state_;
  for (const std::span<uint8_t> part : parts) {
    std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  CEDAR_CHECK(at <= state_ + slots.slot_bytes());
}

Snapshot::~Snapshot() {
  for (const size_t page : pages_) pool_.Release(page);
  slots_.Release(state_);
}

void Snapshot::RestoreTo(Sequence& sequence) const {
  CEDAR_CHECK(sequence.pages().empty());
  for (size_t i = 0; i < pages_.size(); ++i) {
    // The page in which the prefix ends will be written on: by each sequence in a copy of its own.
    sequence.AdoptPage(pages_[i], /*copy=*/i == WholePages());
  }
  for (size_t i = 0; i < rings_.size(); ++i)
    sequence.windows[i].Reset(rings_[i].begin, rings_[i].end);
  for (size_t i = 0; i < sources_.size(); ++i) {
    sequence.compressed[i].count = sources_[i].count;
    sequence.compressed[i].group_count = sources_[i].group_count;
  }
  sequence.pending.count = pending_count_;
  const uint8_t* at = state_;
  for (const std::span<uint8_t> part : PartsInUse(sequence)) {
    std::memcpy(part.data(), at, part.size());
    at += part.size();
  }
}

}  // namespace cedar
