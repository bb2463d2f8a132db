// Every sublayer on fast kernels against the same sublayer on the reference kernels, both fed with
// the oracle's inputs (bounds in row_agreement.h and
// code_agreement.h). Rows run once as rows of a prompt and once as generated ones.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "engine/attention.h"
#include "engine/compressor.h"
#include "engine/engram.h"
#include "engine/expert_groups.h"
#include "engine/hyper_connection.h"
#include "engine/indexer.h"
#include "engine/moe.h"
#include "engine/output_head.h"
#include "tests/engine/code_agreement.h"
#include "tests/engine/golden_step.h"
#include "tests/engine/row_agreement.h"
#include "tests/engine/selection_margin.h"

namespace cedar {
namespace {

// Whether FP8 quantisation makes the same codes and scales of both.
bool SameCodes(const Bf16* a, const Bf16* b, size_t n) {
  const simd::Kernels& truth = simd::KernelsFor(Isa::kReference);
  std::vector<uint8_t> codes_a(WindowRowBytes(n)), codes_b(WindowRowBytes(n));
  truth.store_window_row(a, n, codes_a.data());  // activations are quantised as window rows are
  truth.store_window_row(b, n, codes_b.data());
  return codes_a == codes_b;
}

bool SameBits(std::span<const Bf16> a, std::span<const Bf16> b) {
  return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

class SublayerTest : public ::testing::TestWithParam<std::tuple<Isa, std::string>> {
 protected:
  void SetUp() override {
    const Isa isa = std::get<Isa>(GetParam());
    const std::vector<Isa> here = AvailableIsas();
    if (std::find(here.begin(), here.end(), isa) == here.end()) {
      GTEST_SKIP() << "not on this CPU: " << IsaName(isa);
    }
    golden_ = std::make_unique<GoldenCheckpoint>(std::get<std::string>(GetParam()));
    truth_ = std::make_unique<GoldenStep>(*golden_, Isa::kReference, RowKind::kPrompt);
    for (const RowKind kind : {RowKind::kPrompt, RowKind::kGenerated}) {
      fast_.push_back(std::make_unique<GoldenStep>(*golden_, isa, kind));
    }
  }

  size_t layers() const { return truth_->model().plan.layers.size(); }
  Table<Bf16> Golden(size_t layer, const char* what) const {
    return golden_->Bf16s(GoldenCheckpoint::OfLayer(layer, what));
  }
  // What two rows of fast_ are called.
  static std::string Name(size_t layer, size_t kind, const char* what) {
    return "layer " + std::to_string(layer) + (kind == 0 ? ", prompt rows, " : ", generated, ") +
           what;
  }

  std::unique_ptr<GoldenCheckpoint> golden_;
  std::unique_ptr<GoldenStep> truth_;
  std::vector<std::unique_ptr<GoldenStep>> fast_;  // prompt rows, generated rows
};

// ---- attention ---------------------------------------------------------------------------------

void RunAttention(GoldenStep& s, size_t layer, const Table<Bf16>& x) {
  const AttentionWeights& w = s.model().weights.layers[layer].attn;
  s.SetInput(x);
  ProjectRows(s.forward(), layer, s.step(), s.scratch().x);
  if (w.kv_source) Publish(s.forward(), layer, s.step(), s.scratch().x);
  if (w.indexer) Select(s.forward(), layer, s.step(), s.scratch().x);
  AttendRows(s.forward(), layer, s.step());
  ProjectHeads(s.forward(), layer, s.step(), s.scratch().y);
}

// Each of these checks what `fast` wrote, then puts the reference's in its place.
void CheckWindowRows(GoldenStep& fast, GoldenStep& truth, const std::string& name) {
  const size_t head_dim = truth.config().head_dim, bytes = WindowRowBytes(head_dim);
  uint8_t* const ours = fast.scratch().attention.window_rows;
  const uint8_t* const theirs = truth.scratch().attention.window_rows;
  CodeAgreement codes;
  for (size_t i = 0; i < truth.rows(); ++i) {
    codes.AddWindowRow(ours + i * bytes, theirs + i * bytes, head_dim);
  }
  codes.Check(name);
  std::memcpy(ours, theirs, truth.rows() * bytes);
}

void CheckPublished(GoldenStep& fast, GoldenStep& truth, size_t layer, const std::string& name) {
  const ModelConfig& c = truth.config();
  const CompressedKv &ours = fast.KvOf(layer), &theirs = truth.KvOf(layer);
  ASSERT_EQ(ours.count, theirs.count);
  CodeAgreement rows, keys;
  for (size_t i = 0; i < theirs.count; ++i) {
    rows.AddCompressedRow(ours.Row(i), theirs.Row(i), c.head_dim);
    keys.AddIndexKey(ours.Key(i), theirs.Key(i), c.index_head_dim);
    std::memcpy(ours.Row(i), theirs.Row(i), CompressedRowBytes(c.head_dim));
    std::memcpy(ours.Key(i), theirs.Key(i), IndexKeyBytes(c.index_head_dim));
  }
  rows.Check(name + "compressed rows");
  keys.Check(name + "index keys");
}

void CopyLists(const IndexLists& from, IndexLists& to, size_t places) {
  for (size_t place = 0; place < places; ++place) {
    std::copy(from[place].begin(), from[place].end(), to.Data(place));
    to.SetCount(place, from[place].size());
  }
}

// Rows whose index queries were rounded otherwise choose by other scores: they are only counted.
bool SameQueries(GoldenStep& fast, GoldenStep& truth, size_t row) {
  const ModelConfig& c = truth.config();
  const size_t bytes = c.index_heads * IndexKeyBytes(c.index_head_dim);
  const IndexerScratch &ours = fast.scratch().indexer, &theirs = truth.scratch().indexer;
  return std::memcmp(ours.queries + row * bytes, theirs.queries + row * bytes, bytes) == 0 &&
         std::memcmp(ours.weights + row * c.index_heads, theirs.weights + row * c.index_heads,
                     c.index_heads * sizeof(float)) == 0;
}

void CheckSelections(GoldenStep& fast, GoldenStep& truth, size_t layer, const std::string& name) {
  Selections &ours = fast.scratch().selections, &theirs = truth.scratch().selections;
  size_t moved = 0;
  for (size_t row = 0; row < truth.rows(); ++row) {
    if (!SameQueries(fast, truth, row)) {
      ++moved;
      continue;
    }
    if (SelectionMargin(truth, layer, row) > kDecisive) {
      EXPECT_TRUE(std::ranges::equal(ours.rows[row], theirs.rows[row])) << name << " row " << row;
    }
    if (!truth.model().plan.layers[layer].is_candidate_source) continue;
    if (CandidateMargin(truth, layer, row) > kDecisive) {
      EXPECT_TRUE(std::ranges::equal(ours.blocks[row], theirs.blocks[row]))
          << name << " row " << row;
    }
  }
  EXPECT_LE(moved * 10, truth.rows()) << name;
  CopyLists(theirs.rows, ours.rows, truth.rows());
  CopyLists(theirs.blocks, ours.blocks, truth.rows());
}

bool SameAttentionCodes(GoldenStep& fast, GoldenStep& truth, size_t row) {
  const size_t rank = truth.config().q_rank;
  const size_t groups = truth.config().o_groups * truth.config().o_rank;
  const AttentionScratch &ours = fast.scratch().attention, &theirs = truth.scratch().attention;
  return SameCodes(ours.q_latent + row * rank, theirs.q_latent + row * rank, rank) &&
         SameCodes(ours.groups + row * groups, theirs.groups + row * groups, groups);
}

void CheckAttention(GoldenStep& fast, GoldenStep& truth, size_t layer, const Table<Bf16>& x,
                    const std::string& name) {
  const AttentionWeights& w = truth.model().weights.layers[layer].attn;
  fast.SetInput(x);
  ProjectRows(fast.forward(), layer, fast.step(), fast.scratch().x);
  CheckWindowRows(fast, truth, name + "window rows");
  if (w.kv_source) {
    Publish(fast.forward(), layer, fast.step(), fast.scratch().x);
    CheckPublished(fast, truth, layer, name);
  }
  if (w.indexer) {
    Select(fast.forward(), layer, fast.step(), fast.scratch().x);
    CheckSelections(fast, truth, layer, name);
  }
  AttendRows(fast.forward(), layer, fast.step());
  ProjectHeads(fast.forward(), layer, fast.step(), fast.scratch().y);
  RowAgreement agreement;
  for (size_t row = 0; row < truth.rows(); ++row) {
    agreement.Add(fast.Output(row), truth.Output(row), SameAttentionCodes(fast, truth, row));
  }
  agreement.Check(name + "attention");
}

TEST_P(SublayerTest, Attention) {
  for (size_t layer = 0; layer < layers(); ++layer) {
    const Table<Bf16> x = Golden(layer, "attn_in"), y = Golden(layer, "attn_out");
    RunAttention(*truth_, layer, x);
    for (size_t row = 0; row < y.rows(); ++row) ASSERT_TRUE(SameBits(truth_->Output(row), y[row]));
    for (size_t kind = 0; kind < fast_.size(); ++kind) {
      CheckAttention(*fast_[kind], *truth_, layer, x, Name(layer, kind, ""));
    }
  }
}

// ---- mixture of experts ------------------------------------------------------------------------

std::vector<int32_t> ExpertsOf(GoldenStep& s, size_t row) {
  const size_t k = s.config().experts_per_token;
  std::vector<int32_t> ids(s.scratch().moe.ids + row * k, s.scratch().moe.ids + (row + 1) * k);
  std::sort(ids.begin(), ids.end());
  return ids;
}

ExpertGroups GroupsOf(GoldenStep& s, size_t layer) {
  return ExpertGroups(s.model().weights.layers[layer].moe, s.scratch().moe.ids,
                      s.scratch().moe.weights, s.config().experts_per_token, s.step());
}

TEST_P(SublayerTest, MixtureOfExperts) {
  const size_t inner = truth_->config().moe_hidden;
  for (size_t layer = 0; layer < layers(); ++layer) {
    const Table<Bf16> x = Golden(layer, "ffn_in"), y = Golden(layer, "ffn_out");
    truth_->SetInput(x);
    MixtureOfExperts(truth_->forward(), layer, truth_->step(), truth_->scratch().x,
                     truth_->scratch().y);
    const ExpertGroups theirs = GroupsOf(*truth_, layer);
    for (size_t row = 0; row < y.rows(); ++row) ASSERT_TRUE(SameBits(truth_->Output(row), y[row]));
    for (size_t kind = 0; kind < fast_.size(); ++kind) {
      GoldenStep& fast = *fast_[kind];
      fast.SetInput(x);
      MixtureOfExperts(fast.forward(), layer, fast.step(), fast.scratch().x, fast.scratch().y);
      const ExpertGroups ours = GroupsOf(fast, layer);
      RowAgreement agreement;
      for (size_t row = 0; row < y.rows(); ++row) {
        const bool same_experts = ExpertsOf(fast, row) == ExpertsOf(*truth_, row);
        EXPECT_TRUE(same_experts || ExpertMargin(*truth_, layer, row) <= kDecisive) << row;
        if (!same_experts) continue;
        bool same_codes = true;  // of what goes into W2
        for (size_t i = 0; i < ours.slots_per_row(); ++i) {
          same_codes &=
              SameCodes(fast.scratch().moe.gate + ours.SlotsOfRow(row)[i] * inner,
                        truth_->scratch().moe.gate + theirs.SlotsOfRow(row)[i] * inner, inner);
        }
        agreement.Add(fast.Output(row), truth_->Output(row), same_codes);
      }
      agreement.Check(Name(layer, kind, "experts"));
    }
  }
}

// ---- hyper-connections, Engram, head -----------------------------------------------------------

// One sublayer's streams: mixes and collapse, then its output `y` is taken back.
void RunStreams(GoldenStep& s, const MixWeights& mix, const std::vector<float>& norm,
                const Table<Bf16>& y) {
  ComputeMixes(s.forward(), mix, s.step());
  CollapseAndNorm(s.forward(), norm, s.step(), s.scratch().x);
  s.SetOutput(y);
  Expand(s.forward(), s.step(), s.scratch().y);
}

Table<float> PreOf(GoldenStep& s) {
  const float* const pre = s.scratch().chunk.pre;
  return {s.config().hc, {pre, pre + s.rows() * s.config().hc}};
}

Table<Bf16> StreamsOf(GoldenStep& s) {
  const Bf16* const streams = s.scratch().chunk.streams;
  const size_t width = s.config().streams_width();
  return {width, {streams, streams + s.rows() * width}};
}

TEST_P(SublayerTest, HyperConnections) {
  for (size_t layer = 0; layer < layers(); ++layer) {
    const LayerWeights& w = truth_->model().weights.layers[layer];
    Table<Bf16> streams = Golden(layer, "in");
    Table<float> pre = golden_->Floats(GoldenCheckpoint::OfLayer(layer, "pre"));
    for (const bool attn : {true, false}) {
      const MixWeights& mix = attn ? w.attn_mix : w.ffn_mix;
      const std::vector<float>& norm = attn ? w.attn_norm : w.ffn_norm;
      const Table<Bf16> x = Golden(layer, attn ? "attn_in" : "ffn_in");
      const Table<Bf16> y = Golden(layer, attn ? "attn_out" : "ffn_out");
      truth_->SetStreams(streams);
      truth_->SetPre(pre);
      RunStreams(*truth_, mix, norm, y);
      GoldenStep& fast = *fast_[0];  // the kind of row plays no part
      fast.SetStreams(streams);
      fast.SetPre(pre);
      RunStreams(fast, mix, norm, y);
      RowAgreement inputs, expanded;
      for (size_t row = 0; row < x.rows(); ++row) {
        ASSERT_TRUE(SameBits(truth_->Input(row), x[row]));
        inputs.Add(fast.Input(row), x[row], true);
        expanded.Add(fast.Streams(row), truth_->Streams(row), true);
      }
      inputs.Check(Name(layer, 0, attn ? "attention's input" : "experts' input"));
      expanded.Check(Name(layer, 0, attn ? "after attention" : "after experts"));
      streams = StreamsOf(*truth_);
      pre = PreOf(*truth_);
    }
  }
}

TEST_P(SublayerTest, Engram) {
  const std::vector<int>& engrams = truth_->config().engram.layers;
  if (engrams.empty()) GTEST_SKIP() << "a model without Engram";
  for (const int engram : engrams) {
    const size_t layer = static_cast<size_t>(engram);
    ASSERT_GT(layer, 0u);
    const Table<Bf16> before = Golden(layer - 1, "out"), after = Golden(layer, "in");
    for (size_t kind = 0; kind < fast_.size(); ++kind) {
      GoldenStep& fast = *fast_[kind];
      fast.SetStreams(before);
      AddEngram(fast.forward(), layer, fast.step());
      RowAgreement agreement;
      for (size_t row = 0; row < after.rows(); ++row) {
        agreement.Add(fast.Streams(row), after[row], true);
      }
      agreement.Check(Name(layer, kind, "engram"));
    }
  }
}

// The largest error of a sum of n products in fp32, whatever the order: each of n additions errs by
// half a step of what has been summed so far.
double LogitBound(const GoldenStep& s, const Bf16* x, const WeightMatrix& head, size_t token) {
  double sum = 0;
  for (size_t i = 0; i < head.cols; ++i) {
    Bf16 w;
    std::memcpy(&w, head.data + (token * head.cols + i) * sizeof(w), sizeof(w));
    sum += std::abs(static_cast<double>(ToFloat(x[i])) * ToFloat(w));
  }
  return std::ldexp(sum * static_cast<double>(s.config().hidden), -24);
}

TEST_P(SublayerTest, Head) {
  const size_t last = layers() - 1, vocab = truth_->config().vocab;
  const size_t hidden = truth_->config().hidden;
  const WeightMatrix& head = truth_->model().weights.head;
  ASSERT_EQ(head.format, Format::kBf16);
  const Table<float> pre = golden_->Floats(GoldenCheckpoint::OfLayer(last, "pre"));
  std::vector<std::span<const RowRef>> rows;
  for (GoldenStep* s : {truth_.get(), fast_[0].get(), fast_[1].get()}) {
    s->SetStreams(Golden(last, "out"));
    s->SetPre(pre);
    rows.emplace_back(s->step().row_refs);
  }
  size_t moved = 0;
  for (size_t first = 0; first + kLogitRows <= truth_->rows(); first += kLogitRows) {
    ComputeLogits(truth_->forward(), rows[0].subspan(first, kLogitRows));
    for (size_t kind = 0; kind < fast_.size(); ++kind) {
      Scratch &ours = fast_[kind]->scratch(), &theirs = truth_->scratch();
      ComputeLogits(fast_[kind]->forward(), rows[kind + 1].subspan(first, kLogitRows));
      for (size_t row = 0; row < kLogitRows; ++row) {
        const Bf16* const x = theirs.head_in + row * hidden;
        if (!SameBits({ours.head_in + row * hidden, hidden}, {x, hidden})) {
          ++moved;
          continue;
        }
        for (size_t token = 0; token < vocab; ++token) {
          const size_t i = row * vocab + token;
          ASSERT_LE(std::abs(ours.logits[i] - theirs.logits[i]),
                    LogitBound(*truth_, x, head, token));
        }
      }
    }
  }
  // An input of the head that is off by one bf16 step is no fault of the head.
  EXPECT_LE(moved * 10, truth_->rows() * fast_.size());
}

std::vector<Isa> FastIsas() {
  std::vector<Isa> isas = AllIsas();
  std::erase(isas, Isa::kReference);
  return isas;
}

INSTANTIATE_TEST_SUITE_P(Golden, SublayerTest,
                         ::testing::Combine(::testing::ValuesIn(FastIsas()),
                                            ::testing::Values("tiny", "odd")),
                         [](const auto& info) {
                           return std::string(IsaName(std::get<Isa>(info.param))) + "_" +
                                  std::get<std::string>(info.param);
                         });

}  // namespace
}  // namespace cedar
