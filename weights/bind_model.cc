#include "weights/bind_model.h"

#include <string>
#include <string_view>

#include "weights/matrix_bytes.h"
#include "weights/tensor_names.h"

namespace cedar {
namespace {

namespace names = tensor_names;

class LayerBinder {
 public:
  LayerBinder(TensorSource& source, const ModelConfig& config, const PlannedLayer& planned,
              size_t layer)
      : source_(source), c_(config), planned_(planned), layer_(layer) {}

  LayerWeights Bind() {
    LayerWeights weights;
    weights.attn_norm = Floats(names::kAttnNorm, c_.hidden);
    weights.attn_mix = Mix(names::kAttnMix);
    weights.attn = Attention();
    weights.ffn_norm = Floats(names::kFfnNorm, c_.hidden);
    weights.ffn_mix = Mix(names::kFfnMix);
    weights.moe = Moe();
    if (planned_.engram >= 0) weights.engram = Engram();
    return weights;
  }

 private:
  MixWeights Mix(std::string_view site) {
    MixWeights mix;
    mix.fn = source_.Matrix(names::Layer(layer_, site, names::kMixFn), c_.mixes(),
                            c_.streams_width(), Format::kF32, Storage::kPlain);
    mix.base = source_.Floats(names::Layer(layer_, site, names::kMixBase), {c_.mixes()});
    mix.scale = source_.Floats(names::Layer(layer_, site, names::kMixScale), {3});
    return mix;
  }

  AttentionWeights Attention() {
    AttentionWeights attn;
    attn.sink = Floats(names::kSink, c_.heads);
    attn.wq_a = Projection(names::kWqA, c_.q_rank, c_.hidden);
    attn.q_norm = Floats(names::kQNorm, c_.q_rank);
    attn.wq_b = Projection(names::kWqB, c_.queries_width(), c_.q_rank);
    attn.wkv = Projection(names::kWkv, c_.head_dim, c_.hidden);
    attn.kv_norm = Floats(names::kKvNorm, c_.head_dim);
    const WeightMatrix wo_a = Projection(names::kWoA, c_.o_groups * c_.o_rank, c_.o_group_width());
    for (size_t group = 0; group < c_.o_groups; ++group) {
      attn.wo_a.push_back(RowsOf(wo_a, {group * c_.o_rank, (group + 1) * c_.o_rank}));
    }
    attn.wo_b = Projection(names::kWoB, c_.hidden, c_.o_groups * c_.o_rank);
    if (planned_.is_kv_source) attn.kv_source = KvSource();
    if (planned_.is_index_source) attn.indexer = Indexer();
    return attn;
  }

  KvSourceWeights KvSource() {
    KvSourceWeights source;
    source.wkv = Dense(names::kCompressorWkv, c_.head_dim, c_.hidden);
    if (planned_.ratio > 1) source.wgate = Dense(names::kCompressorGate, c_.head_dim, c_.hidden);
    source.norm = Floats(names::kCompressorNorm, c_.head_dim);
    source.wk = Dense(names::kIndexWk, c_.index_head_dim, c_.head_dim);
    source.k_norm = Floats(names::kIndexKNorm, c_.index_head_dim);
    return source;
  }

  IndexerWeights Indexer() {
    IndexerWeights indexer;
    indexer.wq_b = Projection(names::kIndexWqB, c_.index_heads * c_.index_head_dim, c_.q_rank);
    indexer.weights_proj = Dense(names::kIndexWeights, c_.index_heads, c_.hidden);
    return indexer;
  }

  MoeWeights Moe() {
    MoeWeights moe;
    moe.gate = Dense(names::kGate, c_.experts, c_.hidden);
    moe.bias = Floats(names::kGateBias, c_.experts);
    for (size_t expert = 0; expert < c_.experts; ++expert) {
      moe.routed.push_back(Expert(c_.expert_format, [&](std::string_view part) {
        return names::RoutedExpert(layer_, expert, part);
      }));
    }
    moe.shared = Expert(c_.projection_format, [&](std::string_view part) {
      return names::Layer(layer_, names::kSharedExpert, part);
    });
    return moe;
  }

  template <class NameOf>
  ExpertWeights Expert(Format released, const NameOf& name_of) {
    const auto matrix = [&](std::string_view part, size_t rows, size_t cols) {
      return source_.Matrix(name_of(part), rows, cols, released, Storage::kAny);
    };
    ExpertWeights expert;
    expert.w1 = matrix(names::kW1, c_.moe_hidden, c_.hidden);
    expert.w3 = matrix(names::kW3, c_.moe_hidden, c_.hidden);
    expert.w2 = matrix(names::kW2, c_.hidden, c_.moe_hidden);
    return expert;
  }

  EngramWeights Engram() {
    const EngramConfig& e = c_.engram;
    EngramWeights engram;
    engram.table = source_.Table(names::Layer(layer_, names::kEngramTable),
                                 e.table_rows[planned_.engram], e.head_dim);
    engram.wkv = Projection(names::kEngramWkv, (c_.hc + 1) * c_.hidden, e.columns() * e.head_dim);
    const std::vector<float> q =
        source_.Floats(names::Layer(layer_, names::kEngramQ), {c_.hc, c_.hidden});
    const std::vector<float> k =
        source_.Floats(names::Layer(layer_, names::kEngramK), {c_.hc, c_.hidden});
    for (size_t i = 0; i < q.size(); ++i) engram.qk_weight.push_back(double{q[i]} * k[i]);
    return engram;
  }

  std::vector<float> Floats(std::string_view part, size_t n) {
    return source_.Floats(names::Layer(layer_, part), {n});
  }
  WeightMatrix Projection(std::string_view part, size_t rows, size_t cols) {
    return source_.Matrix(names::Layer(layer_, part), rows, cols, c_.projection_format,
                          Storage::kAny);
  }
  WeightMatrix Dense(std::string_view part, size_t rows, size_t cols) {
    return source_.Matrix(names::Layer(layer_, part), rows, cols, Format::kBf16, Storage::kAny);
  }

  TensorSource& source_;
  const ModelConfig& c_;
  const PlannedLayer& planned_;
  size_t layer_;
};

}  // namespace

ModelWeights BindModel(TensorSource& source, const ModelConfig& config, const LayerPlan& plan) {
  ModelWeights weights;
  weights.embed = source.Matrix(std::string(names::kEmbed), config.vocab, config.hidden,
                                Format::kBf16, Storage::kBf16Only);
  for (size_t layer = 0; layer < plan.layers.size(); ++layer) {
    weights.layers.push_back(LayerBinder(source, config, plan.layers[layer], layer).Bind());
  }
  weights.norm = source.Floats(std::string(names::kNorm), {config.hidden});
  weights.head = source.Matrix(std::string(names::kHead), config.vocab, config.hidden,
                               Format::kBf16, Storage::kAny);
  return weights;
}

}  // namespace cedar
