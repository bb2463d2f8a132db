#include "engine/moe.h"

#include <algorithm>
#include <vector>

#include "engine/expert_groups.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"

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

// gate = W1 x and up = W3 x of every slot whose matrix has this format. x: packed rows by slot, to
// be filled before the products are made.
std::vector<Product> ProductsOf(const Forward& f, const ExpertGroups& groups, Format format,
                                std::span<const uint8_t* const> x) {
  const MoeScratch& s = f.scratch.moe;
  const size_t inner = f.model.config.moe_hidden;
  std::vector<Product> products;
  for (const ExpertGroup& g : groups.groups()) {
    for (const auto& [w, out] : {std::pair{&g.weights->w1, s.gate}, {&g.weights->w3, s.up}}) {
      if (w->format != format) continue;
      products.push_back({w,
                          x.subspan(g.first, g.count),
                          g.kind,
                          {.bf16 = out + g.first * inner, .stride = inner}});
    }
  }
  return products;
}

// The matrices of one format after those of another, because each wants the rows packed its own
// way; in the release those are the routed experts and the shared one.
void GateAndUp(const Forward& f, const ExpertGroups& groups, const Step& step) {
  const size_t hidden = f.model.config.hidden;
  std::vector<const uint8_t*> x(groups.slots().size());
  for (const Format format : {Format::kF32, Format::kBf16, Format::kFp8, Format::kFp4}) {
    const std::vector<Product> products = ProductsOf(f, groups, format, x);
    if (products.empty()) continue;
    const PackedRows rows = Pack(f, {f.scratch.x, hidden, step.rows, step.prompt_rows}, hidden,
                                 format, Quantise::kByFormat, f.scratch.packed_input);
    for (size_t i = 0; i < x.size(); ++i) x[i] = rows[groups.slots()[i].row];
    Multiply(f, products);
  }
}

// hidden = bf16(weight * silu(gate) * up), packed for W2.
void Hidden(const Forward& f, const ExpertGroups& groups) {
  const ModelConfig& c = f.model.config;
  const MoeScratch& s = f.scratch.moe;
  f.model.workers.ForRanges(groups.slots().size(), 1, [&](Range slots, int) {
    for (size_t i = slots.begin; i < slots.end; ++i) {
      const ExpertSlot& slot = groups.slots()[i];
      Bf16* const hidden = s.gate + i * c.moe_hidden;
      f.model.kernels.swiglu(hidden, s.up + i * c.moe_hidden, c.moe_hidden,
                             static_cast<float>(c.swiglu_limit), slot.weight, hidden);
      PackRow(f, slot.kind, slot.weights->w2.format, hidden, c.moe_hidden,
              f.scratch.packed_hidden + i * f.scratch.packed_hidden_stride);
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
  GateAndUp(f, groups, step);
  Hidden(f, groups);
  Down(f, groups);
  SumExperts(f, groups, step);
}

}  // namespace cedar
