// Damaged models: each must be refused with a message that says what is wrong, and never crash.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "simd/error.h"
#include "tests/temp_folder.h"
#include "tests/weights/loaded_model.h"
#include "tests/weights/tiny_checkpoint.h"

namespace cedar {
namespace {

std::string Load(const std::string& directory) {
  try {
    const LoadedModel model(directory);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "it loads";
}

TEST(BadModel, TheUndamagedOneLoads) {
  const test::TempFolder directory;
  TinyCheckpoint().Write(directory.path());
  EXPECT_EQ(Load(directory.path()), "it loads");
}

// ---- Files
// ---------------------------------------------------------------------------------------

struct BadFile {
  const char* name;
  std::function<void(const std::string& directory)> damage;
  const char* message;  // after the directory
};

void Resize(const std::string& path, int by) {
  std::filesystem::resize_file(
      path, static_cast<uintmax_t>(static_cast<int64_t>(std::filesystem::file_size(path)) + by));
}

void WriteIndex(const std::string& directory, const std::string& weight_map) {
  test::WriteBytes(directory + "/" + kShardIndex, "{\"weight_map\": " + weight_map + "}");
}

// What a clone without Git LFS leaves.
void WritePointer(const std::string& path) {
  test::WriteBytes(path, "version https://git-lfs.example/spec/v1\noid sha256:" +
                             std::string(64, 'a') + "\nsize 7405956128\n");
}

const BadFile kBadFiles[] = {
    {"NoDirectory", [](const std::string& d) { std::filesystem::remove_all(d); },
     ": No such file or directory; expected a directory"},
    {"AFileInPlaceOfTheDirectory",
     [](const std::string& d) {
       std::filesystem::remove_all(d);
       test::WriteBytes(d, "x");
     },
     ": found a file, expected a directory: that of the released safetensors files"},
    {"GgufFile",
     [](const std::string& d) {
       std::filesystem::remove_all(d);
       test::WriteBytes(d, "GGUF\x03");
     },
     ": found a GGUF file, expected a directory: that of the released safetensors files"},
    {"NoConfig", [](const std::string& d) { std::filesystem::remove(d + "/config.json"); },
     "/config.json: No such file or directory"},
    {"EmptyConfig", [](const std::string& d) { test::WriteBytes(d + "/config.json", ""); },
     "/config.json: found an empty file, expected content"},
    {"MissingShard", [](const std::string& d) { std::filesystem::remove(d + "/" + kSecondShard); },
     "/model-00002-of-00002.safetensors: No such file or directory"},
    {"EmptyShard", [](const std::string& d) { test::WriteBytes(d + "/" + kFirstShard, ""); },
     "/model-00001-of-00002.safetensors: found an empty file, expected content"},
    {"ADirectoryInPlaceOfAShard",
     [](const std::string& d) {
       std::filesystem::remove(d + "/" + kFirstShard);
       std::filesystem::create_directory(d + "/" + kFirstShard);
     },
     "/model-00001-of-00002.safetensors: found a directory, expected a file"},
    {"AFifoInPlaceOfAShard",
     [](const std::string& d) {
       std::filesystem::remove(d + "/" + kFirstShard);
       mkfifo((d + "/" + kFirstShard).c_str(), 0600);
     },
     "/model-00001-of-00002.safetensors: found a special file, expected a regular file"},
    {"NeitherIndexNorShard",
     [](const std::string& d) { std::filesystem::remove(d + "/" + kShardIndex); },
     "/model.safetensors.index.json: found no such file, though there are shards, expected it, or "
     "model.safetensors"},
    {"NothingOfTheWeights",
     [](const std::string& d) {
       for (const char* file : {kShardIndex, kFirstShard, kSecondShard}) {
         std::filesystem::remove(d + "/" + file);
       }
     },
     "/model.safetensors.index.json: found no such file, expected it, or model.safetensors"},
    {"LinkThatLeadsNowhere",
     [](const std::string& d) {
       std::filesystem::remove(d + "/" + kFirstShard);
       std::filesystem::create_symlink("../../blobs/0a1b", d + "/" + kFirstShard);
     },
     "/model-00001-of-00002.safetensors: found a link to '../../blobs/0a1b', which is not there, "
     "expected a download that is complete"},
    {"IndexThatLeadsNowhere",
     [](const std::string& d) {
       std::filesystem::remove(d + "/" + kShardIndex);
       std::filesystem::create_symlink("../../blobs/0a1b", d + "/" + kShardIndex);
     },
     "/model.safetensors.index.json: found a link to '../../blobs/0a1b', which is not there, "
     "expected a download that is complete"},
    {"LfsPointerForAShard", [](const std::string& d) { WritePointer(d + "/" + kFirstShard); },
     "/model-00001-of-00002.safetensors: found a Git LFS pointer; download the file itself: "},
    {"LfsPointerForTheIndex", [](const std::string& d) { WritePointer(d + "/" + kShardIndex); },
     "/model.safetensors.index.json: found a Git LFS pointer; download the file itself: "},
    {"LfsPointerForTheConfig", [](const std::string& d) { WritePointer(d + "/config.json"); },
     "/config.json: found a Git LFS pointer; download the file itself: "},
    {"IndexThatIsNotJson",
     [](const std::string& d) { test::WriteBytes(d + "/" + kShardIndex, "{\"weight_map\": {"); },
     "/model.safetensors.index.json: found no JSON at byte 17, expected JSON"},
    {"IndexThatIsAList",
     [](const std::string& d) { test::WriteBytes(d + "/" + kShardIndex, "[[]]"); },
     "/model.safetensors.index.json: found a list, expected an object"},
    {"IndexWithoutMap",
     [](const std::string& d) {
       test::WriteBytes(d + "/" + kShardIndex, "{\"metadata\": {\"a\": {}}}");
     },
     "/model.safetensors.index.json: found no weight_map, expected one"},
    {"IndexWithTwoMaps",
     [](const std::string& d) {
       test::WriteBytes(d + "/" + kShardIndex, R"({"weight_map": {}, "weight_map": {}})");
     },
     "/model.safetensors.index.json: found two weight_maps, expected one"},
    {"IndexThatLeavesTheDirectory",
     [](const std::string& d) { WriteIndex(d, R"({"norm.weight": "../x.safetensors"})"); },
     "/model.safetensors.index.json: weight_map: tensor 'norm.weight': found shard "
     "'../x.safetensors', expected the name of a file beside it"},
    {"IndexWithAnEmptyShardName", [](const std::string& d) { WriteIndex(d, R"({"a": ""})"); },
     "/model.safetensors.index.json: weight_map: tensor 'a': found shard '', expected the name of "
     "a file beside it"},
    {"IndexWithANumber", [](const std::string& d) { WriteIndex(d, R"({"a": 3})"); },
     "/model.safetensors.index.json: weight_map: tensor 'a': found 3, expected the name of a "
     "shard"},
    {"IndexWithAnObject", [](const std::string& d) { WriteIndex(d, R"({"a": {"b": "c"}})"); },
     "/model.safetensors.index.json: weight_map: tensor 'a': found an object, expected the name "
     "of a shard"},
    {"IndexThatListsATensorTwice",
     [](const std::string& d) { WriteIndex(d, R"({"a": "x", "a": "y"})"); },
     "/model.safetensors.index.json: weight_map: tensor 'a': found it twice, expected one shard"},
    {"IndexOfATensorThatIsNotThere",
     [](const std::string& d) {
       WriteIndex(d, std::string(R"({"nobody.weight": ")") + kFirstShard + "\"}");
     },
     "/model-00001-of-00002.safetensors: found no tensor 'nobody.weight', expected it, as "
     "model.safetensors.index.json says"},
    {"IndexOfATensorThatIsElsewhere",
     [](const std::string& d) {
       WriteIndex(d, std::string(R"({"embed.weight": ")") + kSecondShard + "\"}");
     },
     "/model-00002-of-00002.safetensors: found no tensor 'embed.weight', expected it, as "
     "model.safetensors.index.json says"},
    {"IndexThatIsEmpty", [](const std::string& d) { WriteIndex(d, "{}"); },
     ": tensor 'embed.weight': found none, expected BF16 [64, 64]"},
    {"ShardWithoutItsLastByte", [](const std::string& d) { Resize(d + "/" + kSecondShard, -1); },
     "/model-00002-of-00002.safetensors: tensor 'head.weight': found 1 byte of it behind the end "
     "of a file of "},
    {"ShardWithAByteMore", [](const std::string& d) { Resize(d + "/" + kSecondShard, 1); },
     "/model-00002-of-00002.safetensors: found 1 byte after the last tensor, expected none"},
    {"ShardThatEndsInItsHeader",
     [](const std::string& d) { std::filesystem::resize_file(d + "/" + kFirstShard, 100); },
     "/model-00001-of-00002.safetensors: found a header of "},
    {"ShardThatEndsInItsLength",
     [](const std::string& d) { std::filesystem::resize_file(d + "/" + kFirstShard, 7); },
     "/model-00001-of-00002.safetensors: found 7 bytes, expected a safetensors file"},
};

class BadFileTest : public testing::TestWithParam<BadFile> {};

TEST_P(BadFileTest, IsRefused) {
  const test::TempFolder directory;
  TinyCheckpoint().Write(directory.path());
  GetParam().damage(directory.path());
  const std::string message = Load(directory.path());
  const std::string expected = directory.path() + GetParam().message;
  EXPECT_EQ(message.substr(0, expected.size()), expected);
}

INSTANTIATE_TEST_SUITE_P(All, BadFileTest, testing::ValuesIn(kBadFiles),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Tensors
// -------------------------------------------------------------------------------------

struct BadTensor {
  const char* name;
  std::function<void(TinyCheckpoint&)> damage;
  const char* message;
};

const BadTensor kBadTensors[] = {
    {"Missing", [](TinyCheckpoint& c) { c.Remove("layers.3.attn.wq_b.weight"); },
     "memory: tensor 'layers.3.attn.wq_b.weight': found none, expected F8_E4M3 [128, 32] or F32 "
     "[128, 32] or BF16 [128, 32] or I8 [128, 16]"},
    {"MissingScale", [](TinyCheckpoint& c) { c.Remove("layers.3.attn.wq_b.scale"); },
     "memory: tensor 'layers.3.attn.wq_b.scale': found none, expected F8_E8M0 [4, 1]"},
    {"MissingExpert", [](TinyCheckpoint& c) { c.Remove("layers.2.ffn.experts.3.w2.weight"); },
     "memory: tensor 'layers.2.ffn.experts.3.w2.weight': found none, expected I8 [64, 16] or F32 "
     "[64, 32] or BF16 [64, 32] or F8_E4M3 [64, 32]"},
    {"MissingNorm", [](TinyCheckpoint& c) { c.Remove("layers.1.attn.indexer.k_norm.weight"); },
     "memory: tensor 'layers.1.attn.indexer.k_norm.weight': found none, expected BF16 [32] or F32 "
     "[32]"},
    {"MissingGateOfACompressor",
     [](TinyCheckpoint& c) { c.Remove("layers.1.attn.compressor.wgate.weight"); },
     "memory: tensor 'layers.1.attn.compressor.wgate.weight': found none, expected BF16 [32, 64]"},
    {"MissingTable", [](TinyCheckpoint& c) { c.Remove("layers.1.engram.embed.weight"); },
     "memory: tensor 'layers.1.engram.embed.weight': found none, expected F8_E4M3 [420, 32] or "
     "BF16 [420, 32]"},
    {"Shape", [](TinyCheckpoint& c) { c.Replace("layers.0.ffn.gate.weight", "BF16", {4, 32}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.ffn.gate.weight': found 'BF16' "
     "[4, 32], expected BF16 [4, 64]"},
    {"ShapeTurned",
     [](TinyCheckpoint& c) { c.Replace("layers.0.ffn.gate.weight", "BF16", {64, 4}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.ffn.gate.weight': found 'BF16' "
     "[64, 4], expected BF16 [4, 64]"},
    {"Rank", [](TinyCheckpoint& c) { c.Replace("layers.0.ffn.gate.weight", "BF16", {256}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.ffn.gate.weight': found 'BF16' "
     "[256], expected BF16 [4, 64]"},
    {"PairsThatWereNotPacked",
     [](TinyCheckpoint& c) { c.Replace("layers.0.ffn.experts.0.w1.weight", "I8", {32, 64}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.ffn.experts.0.w1.weight': found "
     "'I8' [32, 64], expected I8 [32, 32] or F32 [32, 64]"},
    {"Dtype", [](TinyCheckpoint& c) { c.Replace("head.weight", "F16", {64, 64}); },
     "memory/model-00002-of-00002.safetensors: tensor 'head.weight': found 'F16' [64, 64], "
     "expected BF16 [64, 64]"},
    {"EmbedAsF32", [](TinyCheckpoint& c) { c.Replace("embed.weight", "F32", {64, 64}); },
     "memory/model-00001-of-00002.safetensors: tensor 'embed.weight': found 'F32' [64, 64], "
     "expected BF16 [64, 64]"},
    {"MixerAsFp8", [](TinyCheckpoint& c) { c.Replace("layers.0.hc_attn_fn", "F8_E4M3", {8, 128}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.hc_attn_fn': found 'F8_E4M3' [8, "
     "128], expected F32 [8, 128] or BF16 [8, 128]"},
    {"NormAsFp8", [](TinyCheckpoint& c) { c.Replace("norm.weight", "F8_E4M3", {64}); },
     "memory/model-00002-of-00002.safetensors: tensor 'norm.weight': found 'F8_E4M3' [64], "
     "expected BF16 [64] or F32 [64]"},
    {"ScalesAsBf16",
     [](TinyCheckpoint& c) { c.Replace("layers.0.attn.wq_a.scale", "BF16", {1, 2}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.attn.wq_a.scale': found 'BF16' "
     "[1, 2], expected F8_E8M0 [1, 2]"},
    {"ScalesPerRow",
     [](TinyCheckpoint& c) { c.Replace("layers.0.attn.wq_a.scale", "F8_E8M0", {32, 2}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.0.attn.wq_a.scale': found 'F8_E8M0' "
     "[32, 2], expected F8_E8M0 [1, 2]"},
    {"TableOfAnotherLength",
     [](TinyCheckpoint& c) { c.Replace("layers.1.engram.embed.weight", "F8_E4M3", {421, 32}); },
     "memory/model-00001-of-00002.safetensors: tensor 'layers.1.engram.embed.weight': found "
     "'F8_E4M3' [421, 32], expected F8_E4M3 [420, 32]"},
    {"NormThatIsNotANumber",
     [](TinyCheckpoint& c) { c.At("norm.weight").bytes.replace(4, 2, "\xC0\x7F"); },
     "memory/model-00002-of-00002.safetensors: tensor 'norm.weight': found "},
};

class BadTensorTest : public testing::TestWithParam<BadTensor> {};

TEST_P(BadTensorTest, IsRefused) {
  TinyCheckpoint checkpoint;
  GetParam().damage(checkpoint);
  const std::map<std::string, std::string> contents = checkpoint.Files();
  try {
    const LoadedModel model{InMemory(contents)};
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    const std::string message = error.what();
    const std::string expected = GetParam().message;
    EXPECT_EQ(message.substr(0, expected.size()), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadTensorTest, testing::ValuesIn(kBadTensors),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- Damage at random
// ----------------------------------------------------------------------------

// Loads, or is refused; anything else than an Error ends the test (and a fault, under Asan, too).
// Returns whether it loaded.
bool LoadsOrIsRefused(const std::map<std::string, std::string>& contents) {
  try {
    const LoadedModel model{InMemory(contents)};
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos) << error.what();
    return false;
  }
}

class RandomDamage : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    intact_ = TinyCheckpoint().Files();
    const std::string& content = intact_[GetParam()];
    // Of a shard the length and the header; of the others everything.
    parsed_ = content.size();
    if (std::string(GetParam()).ends_with(".safetensors")) {
      const auto byte = [&](size_t i) {
        return static_cast<size_t>(static_cast<uint8_t>(content[i]));
      };
      parsed_ = 8 + byte(0) + (byte(1) << 8);
    }
  }

  size_t Random(size_t below) { return random_() % below; }

  std::mt19937 random_{7};
  std::map<std::string, std::string> intact_;
  size_t parsed_ = 0;
};

TEST_P(RandomDamage, OfBytes) {
  size_t refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::map<std::string, std::string> contents = intact_;
    std::string& content = contents[GetParam()];
    for (size_t flips = 1 + Random(3); flips > 0; --flips) {
      content[Random(parsed_)] = static_cast<char>(Random(256));
    }
    refused += LoadsOrIsRefused(contents) ? 0 : 1;
  }
  EXPECT_GT(refused, 300u);  // nearly every byte matters
}

TEST_P(RandomDamage, OfDigits) {
  for (int i = 0; i < 400; ++i) {
    std::map<std::string, std::string> contents = intact_;
    std::string& content = contents[GetParam()];
    const size_t from = Random(parsed_);
    const size_t digit = content.find_first_of("0123456789", from);
    if (digit >= parsed_) continue;
    const char* kNumbers[] = {"-1", "0", "99999999999999999999", "1e300", "18446744073709551615",
                              "7"};
    content.replace(digit, 1, kNumbers[Random(6)]);
    LoadsOrIsRefused(contents);
  }
}

TEST_P(RandomDamage, OfTheLength) {
  for (int i = 0; i < 200; ++i) {
    std::map<std::string, std::string> contents = intact_;
    contents[GetParam()].resize(Random(parsed_));
    EXPECT_FALSE(LoadsOrIsRefused(contents));
  }
}

std::string FileName(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, RandomDamage,
                         testing::Values("config.json", kShardIndex, kFirstShard, kSecondShard),
                         FileName);

}  // namespace
}  // namespace cedar
