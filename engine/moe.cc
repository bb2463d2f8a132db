#include "engine/moe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <span>
#include <vector>

#include "engine/expert_groups.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"
#include "engine/spread_rows.h"

namespace cedar {
namespace {

void Route(const Forward& f, const MoeWeights& w, const Step& step, const Bf16* x) {
  const ModelConfig& c = f.model.config;
  const MoeScratch& s = f.scratch.moe;
  Linear(f, {x, c.hidden, step.rows, step.prompt_rows},
         {{&w.gate, {.f32 = s.logits, .stride = c.experts}}});
  const simd::RouteParameters p{c.experts, c.experts_per_token, c.normalise_weights,
                                c.routed_scaling, w.bias.data()};
  f.model.workers.ForRanges(step.rows, 1, [&](Range rows, int) {
    for (size_t i = rows.begin; i < rows.end; ++i) {
      f.model.kernels.route(p, s.logits + i * c.experts, s.ids + i * c.experts_per_token,
                            s.weights + i * c.experts_per_token);
    }
  });
}

// As bits, of the matrices that see the layer's input.
unsigned FormatsOf(const ExpertGroup& group) {
  return 1u << static_cast<unsigned>(group.weights->w1.format) |
         1u << static_cast<unsigned>(group.weights->w3.format);
}

// How many of the groups, from the first on, need the layer's input packed in two ways at most, for
// which there is room (PackedInputBytes): all of them where a layer has one format of routed
// experts and one of the shared one.
size_t GroupsTogether(std::span<const ExpertGroup> groups) {
  unsigned formats = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    formats |= FormatsOf(groups[i]);
    if (std::popcount(formats) > 2) return i;
  }
  return groups.size();
}

// The packed inputs of all slots, for matrices of each format that some groups have.
class SlotInputs {
 public:
  SlotInputs(const Forward& f, std::span<const ExpertSlot> slots,
             std::span<const ExpertGroup> groups, const Activations& x) {
    const size_t hidden = f.model.config.hidden;
    unsigned formats = 0;
    for (const ExpertGroup& group : groups) formats |= FormatsOf(group);
    std::vector<Packing> packings;
    for (const Format format : kAllFormats) {
      if (formats >> static_cast<unsigned>(format) & 1) packings.push_back({x, hidden, format});
    }
    const std::vector<PackedRows> packed = Pack(f, packings);
    for (size_t i = 0; i < packings.size(); ++i) {
      PackedRows& rows = rows_[static_cast<size_t>(packings[i].format)];
      for (const ExpertSlot& slot : slots) rows.push_back(packed[i][slot.row]);
    }
  }

  std::span<const uint8_t* const> Of(const ExpertGroup& group, Format format) const {
    return std::span(rows_[static_cast<size_t>(format)]).subspan(group.first, group.count);
  }

 private:
  std::array<PackedRows, std::size(kAllFormats)> rows_;  // by format
};

// Channels `range` of hidden = bf16(weight * silu(gate) * up) of a slot, packed for W2.
void StoreHidden(const Forward& f, const ExpertSlot& slot, size_t i, Range range) {
  const ModelConfig& c = f.model.config;
  const MoeScratch& s = f.scratch.moe;
  Bf16* const hidden = s.gate + i * c.moe_hidden;  // takes the gate's place
  f.model.kernels.swiglu(hidden + range.begin, s.up + i * c.moe_hidden + range.begin, range.size(),
                         static_cast<float>(c.swiglu_limit), slot.weight, hidden + range.begin);
  PackRow(f, slot.kind, slot.weights->w2.format, hidden, c.moe_hidden, range,
          f.scratch.packed_hidden + i * f.scratch.packed_hidden_stride);
}

// gate = W1 x, up = W3 x and hidden, of the slots of some groups: what a thread has made of gate
// and up it clamps, multiplies and packs while it is in its cache.
void GateUpAndHidden(const Forward& f, std::span<const ExpertSlot> slots,
                     std::span<const ExpertGroup> groups, const Activations& x) {
  const MoeScratch& s = f.scratch.moe;
  const size_t inner = f.model.config.moe_hidden;
  const SlotInputs inputs(f, slots, groups, x);
  const std::vector<size_t> rows(groups.size(), inner);
  SpreadRows(f.model.workers, rows, kScaleBlock, [&](size_t i, Range range, int worker) {
    const ExpertGroup& g = groups[i];
    for (const auto& [w, out] : {std::pair{&g.weights->w1, s.gate}, {&g.weights->w3, s.up}}) {
      const MatMulOutput y{.bf16 = out + g.first * inner, .stride = inner};
      MultiplyRows(f, {w, inputs.Of(g, w->format), g.kind, y}, range, worker);
    }
    for (size_t slot = g.first; slot < g.first + g.count; ++slot) {
      StoreHidden(f, slots[slot], slot, range);
    }
  });
}

// out = W2 hidden of every slot.
void Down(const Forward& f, const ExpertGroups& groups) {
  const size_t hidden = f.model.config.hidden;
  std::vector<const uint8_t*> x(groups.slots().size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = f.scratch.packed_hidden + i * f.scratch.packed_hidden_stride;
  }
  std::vector<Product> products;
  for (const ExpertGroup& g : groups.groups()) {
    products.push_back({&g.weights->w2,
                        {x.data() + g.first, g.count},
                        g.kind,
                        {.bf16 = f.scratch.moe.out + g.first * hidden, .stride = hidden}});
  }
  Multiply(f, products);
}

// A row of y = the sum of its experts by ascending number, then the shared one.
void SumExperts(const Forward& f, const ExpertGroups& groups, const Step& step, Bf16* y) {
  const size_t hidden = f.model.config.hidden;
  const size_t count = groups.slots_per_row();
  f.model.workers.ForRanges(step.rows, 1, [&](Range rows, int) {
    std::vector<const Bf16*> parts(count);
    for (size_t i = rows.begin; i < rows.end; ++i) {
      const std::span<const size_t> slots = groups.SlotsOfRow(i);
      for (size_t j = 0; j < count; ++j) parts[j] = f.scratch.moe.out + slots[j] * hidden;
      f.model.kernels.sum_rows(parts.data(), count, hidden, y + i * hidden);
    }
  });
}

void ShowExperts(const Forward& f, size_t layer, const Step& step) {
  if (f.observer == nullptr) return;
  const size_t k = f.model.config.experts_per_token;
  size_t i = 0;
  for (const RowRef& row : step.row_refs) {
    f.observer->OnExperts(layer, row.position(), {f.scratch.moe.ids + i++ * k, k});
  }
}

}  // namespace

void MixtureOfExperts(const Forward& f, size_t layer, const Step& step, const Bf16* x, Bf16* y) {
  const MoeWeights& w = f.model.weights.layers[layer].moe;
  Route(f, w, step, x);
  ShowExperts(f, layer, step);
  const ExpertGroups groups(w, f.scratch.moe.ids, f.scratch.moe.weights,
                            f.model.config.experts_per_token, step);
  if (f.model.weights.may_be_cold) {
    f.scratch.cold_experts.StartReading(groups, *f.scratch.prefetcher);
  }
  const Activations in{x, f.model.config.hidden, step.rows, step.prompt_rows};
  for (auto rest = groups.groups(); !rest.empty();) {
    const auto together = rest.first(GroupsTogether(rest));
    GateUpAndHidden(f, groups.slots(), together, in);
    rest = rest.subspan(together.size());
  }
  Down(f, groups);
  SumExperts(f, groups, step, y);
}

}  // namespace cedar
