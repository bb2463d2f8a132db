// Every way in which a checkpoint can be wrong: exit code 3 and a message that names the file and
// in it the tensor or key. Never a crash.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "simd/memory.h"
#include "tests/app/model_folder.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;

struct Damage {
  const char* name;
  std::function<void(const ModelFolder&)> inflict;
  std::vector<const char*> message;  // what standard error must hold
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

constexpr const char* kNorm = "layers.0.attn_norm.weight";

Damage InConfig(const char* name, const char* key, const json& value) {
  return {name,
          [=](const ModelFolder& model) {
            model.EditConfig([&](json& config) { config[key] = value; });
          },
          {"config.json", key}};
}

Damage InHeader(const char* name, const std::function<void(json&)>& edit,
                const std::vector<const char*>& message) {
  return {name, [=](const ModelFolder& model) { model.EditHeader(edit); }, message};
}

Damage InBytes(const char* name, const char* file, const std::function<void(std::string&)>& edit) {
  return {name, [=](const ModelFolder& model) { model.EditBytes(file, edit); }, {file}};
}

Damage Missing(const char* name, const char* file) {
  return {name, [=](const ModelFolder& model) { model.Remove(file); }, {file}};
}

std::vector<Damage> Damages() {
  return {
      Missing("NoConfig", "config.json"),
      Missing("NoTokenizer", "tokenizer.json"),
      Missing("NoTensors", "model.safetensors"),
      {"MissingShard",
       [](const ModelFolder& model) {
         model.AddIndex([](json& map) { map[kNorm] = "model-00002-of-00002.safetensors"; });
       },
       {"model-00002-of-00002.safetensors"}},
      {"ShardOutsideOfTheFolder",
       [](const ModelFolder& model) {
         model.AddIndex([](json& map) { map[kNorm] = "../model.safetensors"; });
       },
       {"model.safetensors.index.json", "../model.safetensors"}},
      {"TensorNotInTheShardThatTheIndexNames",
       [](const ModelFolder& model) {
         model.AddIndex([](json& map) { map["layers.0.nothing"] = "model.safetensors"; });
       },
       {"model.safetensors", "layers.0.nothing"}},
      InBytes("TruncatedShard", "model.safetensors",
              [](std::string& bytes) { bytes.resize(bytes.size() - 1); }),
      InBytes("BytesAfterTheLastTensor", "model.safetensors",
              [](std::string& bytes) { bytes += '\0'; }),
      InBytes("LfsPointer", "model.safetensors",
              [](std::string& bytes) { bytes = "version https://git-lfs.example/spec/v1\n"; }),
      InBytes("ShardThatEndsInItsHeader", "model.safetensors",
              [](std::string& bytes) { bytes.resize(100); }),
      InBytes("ShardOfFourBytes", "model.safetensors", [](std::string& bytes) { bytes.resize(4); }),
      InBytes("EmptyShard", "model.safetensors", [](std::string& bytes) { bytes.clear(); }),
      InBytes("HeaderLongerThanTheFile", "model.safetensors",
              [](std::string& bytes) { bytes.replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f"); }),
      InBytes("HeaderThatIsNotJson", "model.safetensors",
              [](std::string& bytes) { bytes[8] = '!'; }),
      InHeader("TensorBeyondTheEnd",
               [](json& header) { header[kNorm]["data_offsets"] = {1000000000, 1000000256}; },
               {"model.safetensors", kNorm}),
      InHeader("TensorThatEndsBeforeItBegins",
               [](json& header) {
                 auto& offsets = header[kNorm]["data_offsets"];
                 std::swap(offsets[0], offsets[1]);
               },
               {"model.safetensors", kNorm}),
      InHeader("ShapeThatDoesNotFitTheBytes", [](json& header) { header[kNorm]["shape"] = {127}; },
               {"model.safetensors", kNorm}),
      InHeader("WrongShape", [](json& header) { header[kNorm]["shape"] = {2, 64}; },
               {"model.safetensors", kNorm, "128"}),
      InHeader("WrongDtype", [](json& header) { header[kNorm]["dtype"] = "I16"; },
               {"model.safetensors", kNorm, "I16"}),
      InHeader("UnknownDtype", [](json& header) { header[kNorm]["dtype"] = "Q7"; },
               {"model.safetensors", kNorm, "Q7"}),
      InHeader("MissingTensor", [](json& header) { header.erase(kNorm); }, {kNorm}),
      InBytes("ConfigThatIsNotJson", "config.json", [](std::string& bytes) { bytes[0] = '['; }),
      InConfig("WidthThatIsNoMultipleOf32", "hidden_size", 100),
      InConfig("AnotherModel", "model_type", "deepseek_v3"),
      InConfig("AnotherQuantisation", "quantization_config", {{"quant_method", "quark"}}),
      InConfig("NoLayers", "num_hidden_layers", 0),
      InConfig("TooFewRatios", "compress_ratios", {0, 2, 2, 1, 1}),
      InConfig("SourceBeyondTheLayers", "kv_source_layer_ids", {1, 9}),
      InConfig("WidthThatIsText", "hidden_size", "128"),
      InConfig("NegativeWidth", "head_dim", -64),
      InConfig("MoreExpertsChosenThanThereAre", "num_experts_per_tok", 17),
      InConfig("GroupsThatDoNotDivideTheHeads", "o_groups", 3),
      InConfig("AnotherActivation", "hidden_act", "gelu"),
      {"EngramClassesThatTheTokenMapHasNot",
       [](const ModelFolder& model) {
         model.EditConfig([](json& config) { config["engram_compressed_vocab_size"] = 880; });
       },
       {"tokenizer.json", "engram_compressed_vocab_size", "880", "881"}},
      {"WidthOfAnotherModel",
       [](const ModelFolder& model) {
         model.EditConfig([](json& config) { config["moe_intermediate_size"] = 64; });
       },
       {"model.safetensors", "layers.0.ffn", "64"}},
      InBytes("TokenizerThatIsNotJson", "tokenizer.json",
              [](std::string& bytes) { bytes[0] = '['; }),
      InBytes("EmptyTokenizer", "tokenizer.json", [](std::string& bytes) { bytes = "{}"; }),
  };
}

class DamagedModelTest : public testing::TestWithParam<Damage> {};

TEST_P(DamagedModelTest, IsRefusedByName) {
  const ModelFolder model;
  GetParam().inflict(model);
  const ProcessResult result = RunCedar({"run", model.path(), "-p", "Hello", "-n", "1"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.rfind("cedar: ", 0), 0u) << result.err;
  for (const char* part : GetParam().message) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " is not in: " << result.err;
  }
  // `info` plans without weights; those that are there it looks at as `run` does.
  const ProcessResult info = RunCedar({"info", model.path()});
  if (GetParam().name == std::string("NoTensors")) {
    EXPECT_EQ(info.exit_code, 0) << info.err;
  } else {
    EXPECT_EQ(info.exit_code, 3);
    EXPECT_EQ(info.err, result.err);
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedModelTest, testing::ValuesIn(Damages()),
                         [](const auto& info) { return info.param.name; });

TEST(ModelFolderTest, AnUndamagedModelRuns) {
  const ModelFolder model;
  EXPECT_EQ(RunCedar({"run", model.path(), "-p", "Hello", "-n", "1"}).exit_code, 0);
  model.AddIndex([](json&) {});
  EXPECT_EQ(RunCedar({"run", model.path(), "-p", "Hello", "-n", "1"}).exit_code, 0);
}

TEST(ModelFolderTest, AFolderThatIsNotThere) {
  const TempFolder folder;
  for (const char* command : {"info", "run", "tokenize", "detokenize"}) {
    const ProcessResult result = RunCedar({command, folder / "nothing"}, {.input = "1"});
    EXPECT_EQ(result.exit_code, 3) << command;
    EXPECT_NE(result.err.find("nothing"), std::string::npos) << result.err;
  }
}

TEST(ModelFolderTest, AFileIsNoModel) {
  const TempFolder folder;
  EXPECT_EQ(RunCedar({"info", folder.Write("model", "x")}).exit_code, 3);
}

// The longest sequence that a config may ask for: 180 GB.
TEST(ModelFolderTest, APlanThatDoesNotFitIsRefused) {
  const ModelFolder model;
  model.EditConfig([](json& config) { config["max_position_embeddings"] = 2147483647; });
  const ProcessResult info = RunCedar({"info", model.path(), "--json"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  if (json::parse(info.out)["bytes"]["plan"] <= simd::AvailableMemory()) {
    GTEST_SKIP() << "this machine has room for it";
  }
  const ProcessResult result = RunCedar({"run", model.path(), "-p", "Hello"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("memory"), std::string::npos) << result.err;
  // With a limit the context is as long as it must be, and fits.
  EXPECT_EQ(RunCedar({"run", model.path(), "-p", "Hello", "-n", "1"}).exit_code, 0);
}

}  // namespace
}  // namespace cedar::test
