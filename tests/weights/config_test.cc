#include "weights/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "simd/error.h"
#include "tests/paths.h"
#include "tests/weights/loaded_model.h"
#include "weights/other_models.h"

namespace cedar {
namespace {

using Json = nlohmann::json;

// What ParseConfig says of `json`, without "f: text_config." before it.
std::string Complaint(const std::string& json) {
  try {
    ParseConfig(json, "f");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    const std::string message = error.what();
    const std::string prefix = "f: text_config.";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  return "nothing was thrown";
}

TEST(Config, OfTheRelease) {
  const ModelConfig c = ReadConfig(MappedFile::Map(TestDataPath("released/config.json")));
  EXPECT_EQ(c.layers, 40);
  EXPECT_EQ(c.hidden, 5120u);
  EXPECT_EQ(c.vocab, 129280u);
  EXPECT_EQ(c.max_positions, 1048576u);
  EXPECT_EQ(c.norm_eps, 1e-20);
  EXPECT_EQ(c.hc, 4u);
  EXPECT_EQ(c.hc_eps, 1e-6);
  EXPECT_EQ(c.sinkhorn_iters, 20);
  EXPECT_EQ(c.heads, 64u);
  EXPECT_EQ(c.head_dim, 512u);
  EXPECT_EQ(c.rope_dim, 64u);
  EXPECT_EQ(c.q_rank, 1280u);
  EXPECT_EQ(c.o_rank, 1024u);
  EXPECT_EQ(c.o_groups, 8u);
  EXPECT_EQ(c.window, 128u);
  EXPECT_EQ(c.rope_theta, 10000);
  EXPECT_EQ(c.compress_rope_theta, 160000);
  ASSERT_TRUE(c.yarn);
  EXPECT_EQ(c.yarn->factor, 16);
  EXPECT_EQ(c.yarn->beta_fast, 32);
  EXPECT_EQ(c.yarn->beta_slow, 1);
  EXPECT_EQ(c.yarn->original_positions, 65536u);
  EXPECT_EQ(c.compress_ratios.size(), 40u);
  EXPECT_EQ(c.kv_sources, (std::vector<int>{2, 8, 14, 20}));
  EXPECT_EQ(c.index_sources, (std::vector<int>{2, 8, 14, 20, 24, 28, 32, 36}));
  EXPECT_EQ(c.index_heads, 32u);
  EXPECT_EQ(c.index_head_dim, 128u);
  EXPECT_EQ(c.index_topk, 512u);
  ASSERT_TRUE(c.candidates);
  EXPECT_EQ(c.candidates->source_layer, 20);
  EXPECT_EQ(c.candidates->blocks, 2048u);
  EXPECT_EQ(c.candidates->block_rows, 8u);
  EXPECT_EQ(c.experts, 384u);
  EXPECT_EQ(c.experts_per_token, 6u);
  EXPECT_EQ(c.moe_hidden, 2304u);
  EXPECT_TRUE(c.normalise_weights);
  EXPECT_EQ(c.routed_scaling, 1.5);
  EXPECT_EQ(c.swiglu_limit, 10);
  EXPECT_EQ(c.engram.layers, (std::vector<int>{1, 14}));
  EXPECT_EQ(c.engram.table_rows, (std::vector<size_t>{384006168, 384016682}));
  EXPECT_EQ(c.engram.max_ngram, 4u);
  EXPECT_EQ(c.engram.heads, 8u);
  EXPECT_EQ(c.engram.head_dim, 256u);
  EXPECT_EQ(c.engram.first_prime, 16000000u);
  EXPECT_EQ(c.engram.compressed_vocab, 99092u);
  EXPECT_EQ(c.engram.pad_token, 2);
  EXPECT_EQ(c.engram.columns(), 24u);
  EXPECT_EQ(c.expert_format, Format::kFp4);
  EXPECT_EQ(c.projection_format, Format::kFp8);
  EXPECT_EQ(c.streams_width(), 20480u);
  EXPECT_EQ(c.mixes(), 24u);
  EXPECT_EQ(c.queries_width(), 32768u);
  EXPECT_EQ(c.o_group_width(), 4096u);
}

// Values of engram_* and candidate_* that mean nothing there must not be looked at.
TEST(Config, OfGoldenOdd) {
  const ModelConfig c = ReadConfig(MappedFile::Map(GoldenPath("odd/config.json")));
  EXPECT_FALSE(c.candidates);
  EXPECT_TRUE(c.engram.layers.empty());
  EXPECT_EQ(c.engram.columns(), 0u);
  EXPECT_EQ(c.swiglu_limit, 0);
}

// ---- What may be
// ---------------------------------------------------------------------------------

// The tiny config with some keys of text_config changed or removed (null: removed).
ModelConfig Changed(const Json& changes) {
  Json config = TinyCheckpoint::TinyConfig();
  config["text_config"].merge_patch(changes);
  return ParseConfig(config.dump(), "f");
}

TEST(Config, OptionalKeys) {
  EXPECT_TRUE(Changed(Json::object()).yarn);
  EXPECT_EQ(Changed({{"attention_bias", nullptr}}).heads, 4u);
  EXPECT_FALSE(Changed({{"rope_scaling", nullptr}}).yarn);
  Json config = TinyCheckpoint::TinyConfig();
  config["text_config"]["rope_scaling"] = nullptr;  // there, and null
  EXPECT_FALSE(ParseConfig(config.dump(), "f").yarn);
}

// What nothing is computed with, or what the engine computes in one way only.
TEST(Config, KeysThatNothingUsesAreNotRequired) {
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id", "hidden_act",
                          "scoring_func", "topk_method", "num_key_value_heads", "n_shared_experts",
                          "tie_word_embeddings", "attention_bias", "num_nextn_predict_layers",
                          "model_type", "candidate_source_layer_id", "engram_layer_ids"}) {
    EXPECT_EQ(Changed({{key, nullptr}}).layers, 4) << key;
  }
  EXPECT_FALSE(Changed({{"candidate_source_layer_id", nullptr}}).candidates);
}

TEST(Config, SpecialIdsMayStandAnywhere) {
  Json config = TinyCheckpoint::TinyConfig();
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) config[key] = 1;
  config["eos_token_id"] = {1, 2};
  EXPECT_EQ(ParseConfig(config.dump(), "f").layers, 4);
  EXPECT_EQ(Changed({{"eos_token_id", 1}}).layers, 4);
}

// A text model that was taken out of the release has no text_config.
TEST(Config, ReadsTheRootWithoutATextConfig) {
  Json config = TinyCheckpoint::TinyConfig()["text_config"];
  EXPECT_EQ(ParseConfig(config.dump(), "f").projection_format, Format::kBf16);
  config["quantization_config"] = TinyCheckpoint::TinyConfig()["quantization_config"];
  EXPECT_EQ(ParseConfig(config.dump(), "f").projection_format, Format::kFp8);
  config["hidden_size"] = 80;
  EXPECT_EQ(Complaint(config.dump()), "f: hidden_size: found 80, expected a multiple of 32");
}

TEST(Config, WholeNumbersMayBeWrittenAsReals) {
  EXPECT_EQ(Changed({{"hidden_size", 64.0}}).hidden, 64u);
  EXPECT_EQ(Changed({{"compress_ratios", {0.0, 2.0, 2, 1}}}).compress_ratios,
            (std::vector<int>{0, 2, 2, 1}));
}

TEST(Config, RopeAsNewerLibrariesWriteIt) {
  const Json yarn = TinyCheckpoint::TinyConfig()["text_config"]["rope_scaling"];
  Json parameters = yarn;
  parameters["rope_theta"] = 5000;
  const ModelConfig c = Changed(
      {{"rope_scaling", nullptr}, {"rope_theta", nullptr}, {"rope_parameters", parameters}});
  EXPECT_EQ(c.rope_theta, 5000);
  ASSERT_TRUE(c.yarn);
  EXPECT_EQ(c.yarn->factor, yarn["factor"].get<double>());
  const Json plain = {{"rope_type", "default"}, {"rope_theta", 5000}};
  EXPECT_FALSE(Changed({{"rope_scaling", nullptr}, {"rope_parameters", plain}}).yarn);
  EXPECT_TRUE(Changed({{"rope_scaling", {{"rope_type", nullptr}, {"type", "yarn"}}}}).yarn);
}

TEST(Config, DraftLayersHaveRatiosToo) {
  const ModelConfig c =
      Changed({{"compress_ratios", {0, 2, 2, 1, 7, 0}}, {"num_nextn_predict_layers", 2}});
  EXPECT_EQ(c.compress_ratios, (std::vector<int>{0, 2, 2, 1}));
}

TEST(Config, SourcesInAnyOrder) {
  const ModelConfig c = Changed({{"kv_source_layer_ids", {3, 1}}});
  EXPECT_EQ(c.kv_sources, (std::vector<int>{1, 3}));
}

TEST(Config, KeysThatMeanNothingMayBeAbsent) {
  const ModelConfig c = Changed({{"candidate_source_layer_id", -1},
                                 {"candidate_topk_blocks", nullptr},
                                 {"candidate_block_size", nullptr},
                                 {"engram_layer_ids", Json::array()},
                                 {"engram_num_embeddings", nullptr},
                                 {"engram_max_ngram_size", nullptr},
                                 {"engram_vocab_size", nullptr},
                                 {"engram_n_heads", nullptr},
                                 {"engram_head_dim", nullptr},
                                 {"engram_pad_token_id", nullptr},
                                 {"engram_compressed_vocab_size", nullptr}});
  EXPECT_FALSE(c.candidates);
  EXPECT_TRUE(c.engram.layers.empty());
}

TEST(Config, StorageOfOtherPublications) {
  Json config = TinyCheckpoint::TinyConfig();
  config["quantization_config"].erase("expert_dtype");
  EXPECT_EQ(ParseConfig(config.dump(), "f").expert_format, Format::kFp8);
  config.erase("quantization_config");
  EXPECT_EQ(ParseConfig(config.dump(), "f").expert_format, Format::kBf16);
  EXPECT_EQ(ParseConfig(config.dump(), "f").projection_format, Format::kBf16);
}

// The second layer's primes go on where those of the first ended: 107, 109, 113, 127.
TEST(Config, EngramOfTwoLayers) {
  const ModelConfig c = Changed({{"engram_layer_ids", {2, 0}},
                                 {"engram_n_heads", 1},
                                 {"engram_num_embeddings", {101 + 103, 107 + 109}}});
  EXPECT_EQ(c.engram.layers, (std::vector<int>{2, 0}));
}

// ---- What may not be
// -----------------------------------------------------------------------------

struct Contradiction {
  const char* name;
  const char* changes;  // to text_config of the tiny config; null removes a key
  const char* message;  // the whole of it, after the file and "text_config."
};

const Contradiction kContradictions[] = {
    // One way to compute only.
    {"Activation", R"({"hidden_act": "gelu"})", "hidden_act: found 'gelu', expected 'silu'"},
    {"Scoring", R"({"scoring_func": "softmax"})",
     "scoring_func: found 'softmax', expected 'sqrtsoftplus'"},
    {"TopkMethod", R"({"topk_method": "greedy"})",
     "topk_method: found 'greedy', expected 'noaux_tc'"},
    {"KvHeads", R"({"num_key_value_heads": 2})",
     "num_key_value_heads: found 2, expected a whole number from 1 to 1"},
    {"SharedExperts", R"({"n_shared_experts": 0})",
     "n_shared_experts: found 0, expected a whole number from 1 to 1"},
    {"TiedEmbeddings", R"({"tie_word_embeddings": true})",
     "tie_word_embeddings: found true, expected false"},
    {"AttentionBias", R"({"attention_bias": true})", "attention_bias: found true, expected false"},
    {"RopeType", R"({"rope_scaling": {"rope_type": "linear"}})",
     "rope_scaling.rope_type: found 'linear', expected 'yarn'"},
    {"RopeScalingThatIsAWord", R"({"rope_scaling": "yarn"})",
     "rope_scaling: found 'yarn', expected an object"},
    {"YarnWithoutFactor", R"({"rope_scaling": {"factor": null}})",
     "rope_scaling.factor: found no such key, expected one"},

    // Keys that are missing, of another type, or out of bounds.
    {"Missing", R"({"hidden_size": null})", "hidden_size: found no such key, expected one"},
    {"MissingBool", R"({"norm_topk_prob": null})",
     "norm_topk_prob: found no such key, expected one"},
    {"TextForANumber", R"({"vocab_size": "64"})",
     "vocab_size: found '64', expected a whole number from 1 to 268435456"},
    {"FractionForASize", R"({"hidden_size": 64.5})",
     "hidden_size: found 64.5, expected a whole number from 1 to 262144"},
    {"NumberForABool", R"({"norm_topk_prob": 1})",
     "norm_topk_prob: found 1, expected true or false"},
    {"NumberForText", R"({"hidden_act": 1})", "hidden_act: found 1, expected a string"},
    {"NumberForAList", R"({"compress_ratios": 2})",
     "compress_ratios: found 2, expected a list of whole numbers"},
    {"ListForANumber", R"({"hc_mult": [4]})",
     "hc_mult: found a list, expected a whole number from 1 to 16"},
    {"ObjectForANumber", R"({"hc_eps": {"a": 1}})",
     "hc_eps: found an object, expected a number from 0.0 to 1.0"},
    {"NegativeSize", R"({"hidden_size": -64})",
     "hidden_size: found -64, expected a whole number from 1 to 262144"},
    {"ZeroWindow", R"({"sliding_window": 0})",
     "sliding_window: found 0, expected a whole number from 1 to 16777216"},
    {"NoStreams", R"({"hc_mult": 0})", "hc_mult: found 0, expected a whole number from 1 to 16"},
    {"SizeAbove63Bits", R"({"hidden_size": 18446744073709551615})",
     "hidden_size: found 18446744073709551615, expected a whole number from 1 to 262144"},
    {"AbsurdLayers", R"({"num_hidden_layers": 1000000})",
     "num_hidden_layers: found 1000000, expected a whole number from 1 to 512"},
    {"NegativeEps", R"({"hc_eps": -1e-6})",
     "hc_eps: found -1e-06, expected a number from 0.0 to 1.0"},
    {"LayerThatIsNotThere", R"({"kv_source_layer_ids": [1, 4]})",
     "kv_source_layer_ids: found 4, expected a whole number from 0 to 3"},
    {"TextInAList", R"({"index_source_layer_ids": [1, "3"]})",
     "index_source_layer_ids: found '3', expected a whole number from 0 to 3"},

    // Widths and heads.
    {"HiddenNotInBlocks", R"({"hidden_size": 80})",
     "hidden_size: found 80, expected a multiple of 32"},
    {"ExpertsNotInBlocks", R"({"moe_intermediate_size": 33})",
     "moe_intermediate_size: found 33, expected a multiple of 32"},
    {"QueriesNotInBlocks", R"({"q_lora_rank": 48})",
     "q_lora_rank: found 48, expected a multiple of 32"},
    {"OutputsNotInBlocks", R"({"o_lora_rank": 48})",
     "o_lora_rank: found 48, expected a multiple of 32"},
    {"HeadsNotInBlocks", R"({"head_dim": 48})", "head_dim: found 48, expected a multiple of 32"},
    {"IndexNotInBlocks", R"({"index_head_dim": 48})",
     "index_head_dim: found 48, expected a multiple of 32"},
    {"EngramNotInBlocks", R"({"engram_head_dim": 48})",
     "engram_head_dim: found 48, expected a multiple of 32"},
    {"Groups", R"({"o_groups": 3})",
     "o_groups: found 3, expected a divisor of num_attention_heads (4)"},
    {"OddRope", R"({"qk_rope_head_dim": 15})",
     "qk_rope_head_dim: found 15, expected an even number up to the smaller of head_dim and "
     "index_head_dim (32)"},
    {"RopeWiderThanTheIndex", R"({"qk_rope_head_dim": 34, "head_dim": 64})",
     "qk_rope_head_dim: found 34, expected an even number up to the smaller of head_dim and "
     "index_head_dim (32)"},
    {"RopeWiderThanAHead", R"({"qk_rope_head_dim": 34, "index_head_dim": 64})",
     "qk_rope_head_dim: found 34, expected an even number up to the smaller of head_dim and "
     "index_head_dim (32)"},
    {"MoreExpertsChosenThanThere", R"({"num_experts_per_tok": 5})",
     "num_experts_per_tok: found 5, expected at most n_routed_experts (4)"},

    // Sources.
    {"TooFewRatios", R"({"compress_ratios": [0, 2, 2]})",
     "compress_ratios: found 3 entries, expected 4 (num_hidden_layers + "
     "num_nextn_predict_layers)"},
    {"NoRatiosForDrafts", R"({"num_nextn_predict_layers": 3})",
     "compress_ratios: found 4 entries, expected 7 (num_hidden_layers + "
     "num_nextn_predict_layers)"},
    {"NoKvSource", R"({"kv_source_layer_ids": []})",
     "kv_source_layer_ids: found none, expected at least one layer"},
    {"KvSourceTwice", R"({"kv_source_layer_ids": [1, 1, 3]})",
     "kv_source_layer_ids: found layer 1 twice, expected once"},
    {"IndexSourceTwice", R"({"index_source_layer_ids": [1, 3, 3]})",
     "index_source_layer_ids: found layer 3 twice, expected once"},
    {"KvSourceWithoutRatio", R"({"kv_source_layer_ids": [0, 1, 3]})",
     "kv_source_layer_ids: found layer 0 with compress_ratio 0, expected layers with a ratio >= "
     "1"},
    {"KvSourceWithoutIndex", R"({"index_source_layer_ids": [3]})",
     "kv_source_layer_ids: found layer 1, expected layers that index_source_layer_ids has too"},
    {"RatioBelowItsSource", R"({"compress_ratios": [2, 2, 2, 1]})",
     "compress_ratios: found 2 for layer 0, expected 0, as no KV source lies at or below it"},
    {"RatioOfAnotherSource", R"({"compress_ratios": [0, 2, 1, 1]})",
     "compress_ratios: found 1 for layer 2, expected 0 or that of its KV source (2)"},

    // Candidates.
    {"CandidatesOfNoIndexSource", R"({"candidate_source_layer_id": 2})",
     "candidate_source_layer_id: found 2, expected -1 or an index source with a ratio >= 1, at or "
     "above layer 3"},
    {"CandidatesInTheEncoder", R"({"candidate_source_layer_id": 1})",
     "candidate_source_layer_id: found 1, expected -1 or an index source with a ratio >= 1, at or "
     "above layer 3"},
    {"CandidatesBelowMinusOne", R"({"candidate_source_layer_id": -2})",
     "candidate_source_layer_id: found -2, expected a whole number from -1 to 3"},
    {"TooFewCandidates", R"({"index_topk": 22})",
     "candidate_topk_blocks: found 6 blocks of 4, expected enough for index_topk (22) rows"},

    // Engram.
    {"EngramInTheDecoder", R"({"engram_layer_ids": [3]})",
     "engram_layer_ids: found layer 3, expected layers below the last KV source (3)"},
    {"EngramTwice", R"({"engram_layer_ids": [1, 1], "engram_num_embeddings": [420, 420]})",
     "engram_layer_ids: found layer 1 twice, expected once"},
    {"EngramTablesMissing", R"({"engram_layer_ids": [0, 1]})",
     "engram_num_embeddings: found 1 entries, expected 2, one for each of engram_layer_ids"},
    {"EngramRows", R"({"engram_num_embeddings": [421]})",
     "engram_num_embeddings: found 421, expected 420"},
    {"EngramPad", R"({"engram_pad_token_id": 64})",
     "engram_pad_token_id: found 64, expected a whole number from 0 to 63"},
    {"EngramClasses", R"({"engram_compressed_vocab_size": 65})",
     "engram_compressed_vocab_size: found 65, expected a whole number from 1 to 64"},
    {"EngramWithoutNgrams", R"({"engram_max_ngram_size": 1})",
     "engram_max_ngram_size: found 1, expected a whole number from 2 to 16"},
};

class ConfigContradiction : public testing::TestWithParam<Contradiction> {};

TEST_P(ConfigContradiction, IsRefused) {
  Json config = TinyCheckpoint::TinyConfig();
  config["text_config"].merge_patch(Json::parse(GetParam().changes));
  EXPECT_EQ(Complaint(config.dump()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(All, ConfigContradiction, testing::ValuesIn(kContradictions),
                         [](const auto& info) { return std::string(info.param.name); });

// (6 - 1) * 4 + 1 rows of candidates are just enough for 21.
TEST(Config, CandidatesThatAreJustEnough) {
  EXPECT_EQ(Changed({{"index_topk", 21}}).index_topk, 21u);
}

TEST(Config, RefusesWhatIsNoConfig) {
  EXPECT_EQ(Complaint(""), "f: found no JSON at byte 1, expected JSON");
  EXPECT_EQ(Complaint("{\"text_config\": {"), "f: found no JSON at byte 18, expected JSON");
  EXPECT_EQ(Complaint("[]"), "f: found a list, expected an object");
  EXPECT_EQ(Complaint("{}"), "f: num_hidden_layers: found no such key, expected one");
  EXPECT_EQ(Complaint(R"({"text_config": 3})"), "f: text_config: found 3, expected an object");
  EXPECT_EQ(Complaint(R"({"hc_eps": 1e999})"),
            "f: found a number that is too large, expected JSON with finite numbers");
}

// ---- Other models, and this one in other quantisations
// -------------------------------------------

TEST(OtherModels, AreRefusedByTheirType) {
  Json config = {{"model_type", "deepseek_v3"}, {"hidden_size", 7168}};
  EXPECT_EQ(Complaint(config.dump()),
            "f: model_type: found 'deepseek_v3', expected 'deepseek_v41' (DeepSeek-V4.1-Flash)");
  config = TinyCheckpoint::TinyConfig();
  config["text_config"]["model_type"] = "llama";
  EXPECT_EQ(Complaint(config.dump()),
            "model_type: found 'llama', expected 'deepseek_v41' (DeepSeek-V4.1-Flash)");
}

struct OtherStorage {
  const char* config;  // what quantization_config is
  const char* name;
};

TEST(OtherModels, QuantisationsAreRefusedByName) {
  const OtherStorage others[] = {
      {R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "NVFP4 (ModelOpt)"},
      {R"({"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"})",
       "nvfp4-pack-quantized (compressed-tensors)"},
      {R"({"quant_method": "quark"})", "Quark"},
      {R"({"quant_method": "exl3", "bits": 3.0})", "EXL3"},
      {R"({"bits": 4, "group_size": 64})", "MLX (4 bits)"},
      {R"({"quant_method": "awq"})", "AWQ"},
      {R"({"quant_method": "gptq", "bits": 4})", "GPTQ"},
      {R"({"quant_method": "something new"})", "something new"},
      {R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "FP8 in blocks of [128,128]"},
      {R"({"quant_method": "fp8", "scale_fmt": "float32"})", "FP8 with scales of 'float32'"},
      {R"({"quant_method": "fp8", "expert_dtype": "nvfp4"})", "experts of 'nvfp4'"},
  };
  for (const OtherStorage& other : others) {
    for (const char* key : {"quantization_config", "quantization"}) {
      Json config = TinyCheckpoint::TinyConfig();
      config[key] = Json::parse(other.config);
      const std::string begin =
          std::string("f: ") + key + ": found another quantisation: " + other.name + ", expected";
      EXPECT_EQ(Complaint(config.dump()).substr(0, begin.size()), begin);
    }
  }
}

TEST(OtherModels, QuantisationsAreKnownByTheirTensors) {
  EXPECT_EQ(OtherQuantisationOf("model.layers.3.mlp.experts.1.up_proj.weight_scale_2"), "NVFP4");
  EXPECT_EQ(OtherQuantisationOf("layers.3.attn.wq_a.trellis"), "EXL3");
  EXPECT_EQ(OtherQuantisationOf("layers.3.attn.wq_a.weight_scale_inv"),
            "FP8 with weight_scale_inv");
  EXPECT_EQ(OtherQuantisationOf("layers.3.attn.wq_a.biases"), "MLX");
  for (const char* ours : {"layers.3.attn.wq_a.scale", "layers.3.ffn.gate.bias", "a.scales"}) {
    EXPECT_EQ(OtherQuantisationOf(ours), "") << ours;
  }
}

// Depth may cost memory, but no stack.
TEST(Config, SurvivesDeepNesting) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_EQ(Complaint(deep), "f: found a list, expected an object");
  std::string config = TinyCheckpoint::TinyConfig().dump();
  const std::string key = "\"hidden_size\":";
  config.replace(config.find(key), key.size() + 2, key + deep);
  EXPECT_EQ(Complaint(config),
            "hidden_size: found a list, expected a whole number from 1 to 262144");
}

}  // namespace
}  // namespace cedar
