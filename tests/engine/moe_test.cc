#include "engine/moe.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "engine/expert_groups.h"
#include "tests/engine/golden_checkpoint.h"
#include "tests/engine/golden_step.h"
#include "tests/simd/matmul_cases.h"

namespace cedar {
namespace {

using Row = std::vector<Bf16>;

Row Times(const simd::MatMul& kernel, const WeightMatrix& w, const Row& x) {
  const Activation activation = w.format == Format::kBf16 ? Activation::kBf16 : Activation::kFp8;
  Row y;
  for (const float value : simd::Multiply(kernel, w, activation, {x})) {
    y.push_back(RoundToBf16(value));
  }
  return y;
}

// One row through one expert, step by step.
Row ExpertOf(const GoldenStep& s, const ExpertSlot& slot, const Row& x) {
  const simd::Kernels& k = s.model().kernels;
  const simd::MatMul& kernel = slot.kind == RowKind::kPrompt ? k.prompt : k.generated;
  const Row gate = Times(kernel, slot.weights->w1, x), up = Times(kernel, slot.weights->w3, x);
  Row hidden(gate.size());
  k.swiglu(gate.data(), up.data(), gate.size(), static_cast<float>(s.config().swiglu_limit),
           slot.weight, hidden.data());
  return Times(kernel, slot.weights->w2, hidden);
}

// Experts of one layer in three formats, W1 and W3 in different ones; more than fit into the
// scratch for packed inputs at once.
class MixedExperts {
 public:
  explicit MixedExperts(const GoldenStep& s) {
    // The test alone knows this engine, and nothing is computed meanwhile.
    MoeWeights& moe = const_cast<Model&>(s.model()).weights.layers[0].moe;
    for (size_t i = 0; i < moe.routed.size(); ++i) Change(moe.routed[i], i);
  }

 private:
  void Change(ExpertWeights& expert, size_t i) {
    for (WeightMatrix* w : {&expert.w1, &expert.w3, &expert.w2}) {
      constexpr Format kThree[] = {Format::kFp4, Format::kFp8, Format::kBf16};
      matrices_.push_back(simd::RandomMatrix(kThree[i++ % 3], w->rows, w->cols, random_, 115, 120));
      *w = matrices_.back().view;
    }
  }

  std::mt19937 random_{1};
  std::deque<simd::TestMatrix> matrices_;
};

class MoeTest : public ::testing::TestWithParam<RowKind> {};

TEST_P(MoeTest, ExpertsOfAnyFormatsComeOutAsOneByOne) {
  const GoldenCheckpoint golden("tiny");
  GoldenStep s(golden, AvailableIsas().front(), GetParam());
  const MixedExperts mixed(s);
  s.SetInput(golden.Bf16s(GoldenCheckpoint::OfLayer(0, "ffn_in")));
  MixtureOfExperts(s.forward(), 0, s.step(), s.scratch().x, s.scratch().y);

  const ModelConfig& c = s.config();
  const ExpertGroups groups(s.model().weights.layers[0].moe, s.scratch().moe.ids,
                            s.scratch().moe.weights, c.experts_per_token, s.step());
  for (size_t row = 0; row < s.rows(); ++row) {
    std::vector<Row> outputs;
    std::vector<const Bf16*> parts;
    for (const size_t slot : groups.SlotsOfRow(row)) {
      outputs.push_back(
          ExpertOf(s, groups.slots()[slot], Row(s.Input(row).begin(), s.Input(row).end())));
    }
    for (const Row& output : outputs) parts.push_back(output.data());
    Row expected(c.hidden);
    s.model().kernels.sum_rows(parts.data(), parts.size(), c.hidden, expected.data());
    for (size_t i = 0; i < c.hidden; ++i) {
      ASSERT_EQ(s.Output(row)[i].bits, expected[i].bits) << "row " << row << ", channel " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kind, MoeTest, ::testing::Values(RowKind::kPrompt, RowKind::kGenerated));

}  // namespace
}  // namespace cedar
