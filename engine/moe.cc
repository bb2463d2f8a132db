#include "engine/moe.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/expert_groups.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"
#include "engine/spread_rows.h"

namespace cedar {
namespace {

void Route(const Forward& f, const MoeWeights& w, const Step& step) {
  const ModelConfig& c = f.model.config;
  const MoeScratch& s = f.scratch.moe;
  const Activations x{f.scratch.x, c.hidden, step.rows, step.prompt_rows};
  Linear(f, x, {{&w.gate, {.f32 = s.logits, .stride = c.experts}}});
  const simd::RouteParameters p{c.experts, c.experts_per_token, c.normalise_weights,
                                c.routed_scaling, w.bias.data()};
  f.model.workers.ForRanges(step.rows, 1, [&](Range rows, int) {
    for (size_t i = rows.begin; i < rows.end; ++i) {
      f.model.kernels.route(p, s.logits + i * c.experts, s.ids + i * c.experts_per_token,
                            s.weights + i * c.experts_per_token);
    }
  });
}

// The formats of the matrices that see the layer's input; each wants it packed its own way.
std::vector<Packing> InputPackings(const Forward& f, const ExpertGroups& groups, const Step& step) {
  const size_t hidden = f.model.config.hidden;
  std::vector<Packing> packings;
  for (const Format format : {Format::kF32, Format::kBf16, Format::kFp8, Format::kFp4}) {
    const bool used =
        std::any_of(groups.groups().begin(), groups.groups().end(), [&](const ExpertGroup& g) {
          return g.weights->w1.format == format || g.weights->w3.format == format;
        });
    if (used)
      packings.push_back({{f.scratch.x, hidden, step.rows, step.prompt_rows}, hidden, format});
  }
  return packings;
}

// The packed inputs of all slots, for matrices of each format.
class SlotInputs {
 public:
  SlotInputs(const Forward& f, const ExpertGroups& groups, const Step& step) {
    const std::vector<Packing> packings = InputPackings(f, groups, step);
    const std::vector<PackedRows> packed = Pack(f, packings);
    for (size_t i = 0; i < packings.size(); ++i) {
      PackedRows& rows = rows_[static_cast<size_t>(packings[i].format)];
      for (const ExpertSlot& slot : groups.slots()) rows.push_back(packed[i][slot.row]);
    }
  }

  std::span<const uint8_t* const> Of(const ExpertGroup& group, Format format) const {
    return std::span(rows_[static_cast<size_t>(format)]).subspan(group.first, group.count);
  }

 private:
  std::array<PackedRows, 4> rows_;  // by format; none where no matrix has it
};

// Channels `range` of hidden = bf16(weight * silu(gate) * up) of a slot, packed for W2.
void StoreHidden(const Forward& f, const ExpertSlot& slot, size_t i, Range range) {
  const ModelConfig& c = f.model.config;
  const MoeScratch& s = f.scratch.moe;
  Bf16* const gate = s.gate + i * c.moe_hidden;
  Bf16* const hidden = gate;
  f.model.kernels.swiglu(gate + range.begin, s.up + i * c.moe_hidden + range.begin, range.size(),
                         static_cast<float>(c.swiglu_limit), slot.weight, hidden + range.begin);
  PackRow(f, slot.kind, slot.weights->w2.format, hidden, c.moe_hidden, range,
          f.scratch.packed_hidden + i * f.scratch.packed_hidden_stride);
}

// gate = W1 x, up = W3 x and hidden, of every slot: what a thread has made of gate and up it
// clamps, multiplies and packs while it is in its cache.
void GateUpAndHidden(const Forward& f, const ExpertGroups& groups, const Step& step) {
  const MoeScratch& s = f.scratch.moe;
  const size_t inner = f.model.config.moe_hidden;
  const SlotInputs inputs(f, groups, step);
  const std::vector<size_t> rows(groups.groups().size(), inner);
  SpreadRows(f.model.workers, rows, [&](size_t i, Range range, int worker) {
    const ExpertGroup& g = groups.groups()[i];
    for (const auto& [w, out] : {std::pair{&g.weights->w1, s.gate}, {&g.weights->w3, s.up}}) {
      const MatMulOutput y{.bf16 = out + g.first * inner, .stride = inner};
      MultiplyRows(f, {w, inputs.Of(g, w->format), g.kind, y}, range, worker);
    }
    for (size_t slot = g.first; slot < g.first + g.count; ++slot) {
      StoreHidden(f, groups.slots()[slot], slot, range);
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

// y = the sum of a row's experts by ascending number, then the shared one.
void SumExperts(const Forward& f, const ExpertGroups& groups, const Step& step) {
  const size_t hidden = f.model.config.hidden;
  const size_t count = groups.slots_per_row();
  f.model.workers.ForRanges(step.rows, 1, [&](Range rows, int) {
    std::vector<const Bf16*> parts(count);
    for (size_t i = rows.begin; i < rows.end; ++i) {
      const std::span<const size_t> slots = groups.SlotsOfRow(i);
      for (size_t j = 0; j < count; ++j) parts[j] = f.scratch.moe.out + slots[j] * hidden;
      f.model.kernels.sum_rows(parts.data(), count, hidden, f.scratch.y + i * hidden);
    }
  });
}

void ShowExperts(const Forward& f, size_t layer, const Step& step) {
  if (f.observer == nullptr) return;
  const size_t k = f.model.config.experts_per_token;
  size_t i = 0;
  for (const RowRef& row : RowsOf(step)) {
    f.observer->OnExperts(layer, row.position(), {f.scratch.moe.ids + i++ * k, k});
  }
}

}  // namespace

void MixtureOfExperts(const Forward& f, size_t layer, const Step& step) {
  const MoeWeights& w = f.model.weights.layers[layer].moe;
  Route(f, w, step);
  ShowExperts(f, layer, step);
  const ExpertGroups groups(w, f.scratch.moe.ids, f.scratch.moe.weights,
                            f.model.config.experts_per_token, step);
  f.scratch.cold_experts.StartReading(groups, *f.scratch.prefetcher);
  GateUpAndHidden(f, groups, step);
  Down(f, groups);
  SumExperts(f, groups, step);
}

}  // namespace cedar
