#include "weights/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "simd/error.h"
#include "tests/temp_folder.h"
#include "tests/weights/tiny_checkpoint.h"
#include "weights/sha256.h"

namespace cedar {
namespace {

constexpr char kExpert[] = "layers.0.ffn.experts.1.w1.scale";
constexpr char kFp8[] = "layers.1.attn.wq_a.weight";

VerifyReport VerifyFolder(const std::string& folder, const KnownSums& sums = {}, int threads = 2) {
  return Verify(ModelFiles::InDirectory(folder), sums, simd::Workers(threads), {});
}

std::string SumOf(const std::string& path) {
  const std::string bytes = test::ReadBytes(path);
  Sha256 sha;
  sha.Add({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  return sha.Finish();
}

// Where a tensor's bytes begin in its shard.
size_t PlaceOf(const std::string& shard, const std::string& tensor) {
  const std::string bytes = test::ReadBytes(shard);
  size_t length = 0;
  for (size_t i = 0; i < 8; ++i) length |= size_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  return 8 + length + header[tensor]["data_offsets"][0].get<size_t>();
}

void ExpectDamages(const VerifyReport& report, const std::vector<std::string>& parts) {
  EXPECT_EQ(report.damage_count, parts.size());
  for (const std::string& part : parts) {
    const bool found = std::ranges::any_of(
        report.damages, [&](const auto& damage) { return damage.find(part) != damage.npos; });
    EXPECT_TRUE(found) << part;
  }
  if (testing::Test::HasFailure()) {
    for (const std::string& damage : report.damages) ADD_FAILURE() << damage;
  }
}

TEST(VerifyTest, AWholeModel) {
  const test::TempFolder folder;
  const TinyCheckpoint model;
  model.Write(folder.path());
  const VerifyReport report = VerifyFolder(folder.path());
  ExpectDamages(report, {});
  EXPECT_EQ(report.tensors, model.tensors.size());
  EXPECT_EQ(report.files, 2u);
  EXPECT_EQ(report.summed, 0u);
  EXPECT_EQ(report.unsummed, (std::vector<std::string>{kFirstShard, kSecondShard}));
}

// Each names the tensor and the byte, and all are found in one go.
TEST(VerifyTest, CodesThatAreNoNumbers) {
  const test::TempFolder folder;
  TinyCheckpoint model;
  const auto put = [&](const std::string& name, size_t at, const std::string& bytes) {
    model.At(name).bytes.replace(at, bytes.size(), bytes);
  };
  model.Replace("layers.0.hc_attn_base", "F32", model.At("layers.0.hc_attn_base").shape);
  put(kExpert, 5, "\xFF");
  put(kFp8, 0, "\x7F");
  put(kFp8, 77, "\xFF");
  put("norm.weight", 6, std::string("\x80\xFF", 2));  // minus infinity
  put("layers.0.hc_attn_base", 8, std::string("\0\0\xC0\x7F", 4));
  put("layers.0.ffn.experts.0.w1.weight", 0, "\x7F\xFF");  // FP4: numbers
  model.Write(folder.path());
  const std::string first = folder / kFirstShard;
  const auto at = [&](const char* tensor, size_t byte) {
    const std::string shard =
        test::ReadBytes(first).find("\"" + std::string(tensor) + "\"") != std::string::npos
            ? first
            : folder / kSecondShard;
    return shard + ": tensor '" + tensor + "': byte " +
           std::to_string(PlaceOf(shard, tensor) + byte) + ": found ";
  };
  for (const int threads : {1, 3}) {
    ExpectDamages(VerifyFolder(folder.path(), {}, threads),
                  {at(kExpert, 5) + "a scale of 255, expected a number",
                   at(kFp8, 0) + "NaN (0x7f), expected a number; 1 more in it",
                   at("norm.weight", 6) + "infinity (0xff80)",
                   at("layers.0.hc_attn_base", 8) + "NaN (0x7fc00000)"});
  }
}

TEST(VerifyTest, AllThatIsWrongWithFilesAndShapes) {
  const test::TempFolder folder;
  TinyCheckpoint model;
  model.Replace("norm.weight", "BF16", {63});
  model.Replace(kExpert, "U8", model.At(kExpert).shape);
  model.Remove("layers.0.attn.attn_sink");
  model.Write(folder.path());
  ExpectDamages(VerifyFolder(folder.path()),
                {"tensor 'norm.weight': found 'BF16' [63]", std::string(kExpert) + "': found 'U8'",
                 "tensor 'layers.0.attn.attn_sink': found none"});
  // What lies in a shard that cannot be read is not reported besides.
  std::filesystem::resize_file(folder / kSecondShard,
                               std::filesystem::file_size(folder / kSecondShard) - 1);
  const VerifyReport report = VerifyFolder(folder.path());
  EXPECT_NE(report.damages[0].find(kSecondShard), std::string::npos) << report.damages[0];
  EXPECT_LE(report.damage_count, 3u);
}

TEST(VerifyTest, ATensorThatIsThereTwice) {
  const test::TempFolder folder;
  TinyCheckpoint model;
  model.Write(folder.path());
  auto files = model.Files();
  const auto middle = model.tensors.begin() + static_cast<std::ptrdiff_t>(model.tensors.size() / 2);
  std::vector<StoredTensor> second(middle, model.tensors.end());
  second.push_back(model.tensors[0]);
  test::WriteBytes(folder / kSecondShard, SafetensorsFile(second));
  ExpectDamages(VerifyFolder(folder.path()),
                {"tensor '" + model.tensors[0].name + "': found it twice, expected it in "});
}

TEST(VerifyTest, MoreDamagesThanAnybodyReads) {
  const test::TempFolder folder;
  TinyCheckpoint model;
  for (StoredTensor& tensor : model.tensors) {
    if (tensor.dtype == "F8_E8M0") tensor.bytes[0] = '\xFF';
    if (tensor.dtype == "F8_E4M3") tensor.bytes[0] = '\x7F';
    if (tensor.dtype == "BF16") tensor.bytes.replace(0, 2, "\xFF\x7F");
  }
  model.Write(folder.path());
  const VerifyReport report = VerifyFolder(folder.path());
  EXPECT_GT(report.damage_count, report.kMostDamages);
  EXPECT_EQ(report.damages.size(), report.kMostDamages);
}

TEST(VerifyTest, SumsOfAList) {
  const test::TempFolder folder, beside;
  TinyCheckpoint().Write(folder.path());
  const std::string good = SumOf(folder / kFirstShard) + "  " + kFirstShard + "\n" +
                           SumOf(folder / kSecondShard) + " *./" + kSecondShard + "\n";
  const std::string list =
      beside.Write("sums", good + SumOf(folder / "config.json") + "  config.json\n");
  const VerifyReport whole = VerifyFolder(folder.path(), KnownSums::Read(list));
  ExpectDamages(whole, {});
  EXPECT_EQ(whole.summed, 3u);
  EXPECT_TRUE(whole.unsummed.empty());
  // A bit that leaves all values numbers.
  std::string bytes = test::ReadBytes(folder / kFirstShard);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  test::WriteBytes(folder / kFirstShard, bytes);
  ExpectDamages(VerifyFolder(folder.path()), {});
  ExpectDamages(
      VerifyFolder(folder.path(), KnownSums::Read(list)),
      {folder / kFirstShard + ": SHA-256: found " + SumOf(folder / kFirstShard) + ", expected "});
}

// Blobs that are called after their sums, and links to them.
TEST(VerifyTest, SumsOfTheHubsCache) {
  const test::TempFolder folder;
  std::filesystem::create_directories(folder / "blobs");
  std::filesystem::create_directories(folder / "snapshots/1");
  for (const auto& [name, content] : TinyCheckpoint().Files()) {
    test::WriteBytes(folder / "file", content);
    const std::string sum = SumOf(folder / "file");
    std::filesystem::rename(folder / "file", folder / ("blobs/" + sum));
    std::filesystem::create_symlink("../../blobs/" + sum, folder / ("snapshots/1/" + name));
  }
  const VerifyReport whole = VerifyFolder(folder / "snapshots/1");
  ExpectDamages(whole, {});
  EXPECT_EQ(whole.summed, 5u);
  EXPECT_EQ(whole.sources, std::vector<std::string>{"the name of its blob"});
  const std::string shard =
      std::filesystem::canonical(folder / ("snapshots/1/" + std::string(kFirstShard)));
  std::string bytes = test::ReadBytes(shard);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  test::WriteBytes(shard, bytes);
  ExpectDamages(VerifyFolder(folder / "snapshots/1"), {"SHA-256: found "});
}

// Holes are zeros, also where a value begins in one and ends behind it.
TEST(VerifyTest, HolesAndValuesAtTheirEnds) {
  const test::TempFolder folder;
  TinyCheckpoint model(TinyCheckpoint::TinyConfig());
  model.Replace("norm.weight", "F32", {64});
  model.Write(folder.path());
  // The header is padded so that the norm lies around the end of a hole of a megabyte.
  const std::vector<StoredTensor> norm = {model.At("norm.weight")};
  model.Remove("norm.weight");
  auto files = model.Files();
  constexpr size_t kHole = size_t{1} << 20;
  std::string header = R"({"norm.weight":{"dtype":"F32","shape":[64],"data_offsets":[)";
  const size_t begin = kHole - 102;
  header += std::to_string(begin) + "," + std::to_string(begin + 256) + "]}}";
  header.resize(4096 - 8, ' ');
  const std::string path = folder / "extra.safetensors";
  test::WriteBytes(path, SafetensorsFile(header, ""));
  std::filesystem::resize_file(path, 4096 + begin + 256);
  auto index = nlohmann::json::parse(files[kShardIndex]);
  index["weight_map"]["norm.weight"] = "extra.safetensors";
  test::WriteBytes(folder / kShardIndex, index.dump());
  for (const char* const shard : {kFirstShard, kSecondShard}) {
    test::WriteBytes(folder / shard, files[shard]);
  }
  ExpectDamages(VerifyFolder(folder.path()), {});
  // The 26th value has two bytes in the hole and two behind it.
  std::string bytes = test::ReadBytes(path);
  const size_t value = 4096 + begin + 4 * 25;
  bytes.replace(value + 2, 2, "\x80\x7F");
  test::WriteBytes(path, bytes.substr(0, 4096));
  std::filesystem::resize_file(path, bytes.size());
  {
    std::FILE* file = std::fopen(path.c_str(), "r+b");
    std::fseek(file, static_cast<long>(value + 2), SEEK_SET);
    std::fputs("\x80\x7F", file);
    std::fclose(file);
  }
  ExpectDamages(VerifyFolder(folder.path()),
                {"byte " + std::to_string(value) + ": found infinity (0x7f800000)"});
}

TEST(VerifyTest, AConfigThatCannotBeReadIsThrown) {
  const test::TempFolder folder;
  TinyCheckpoint().Write(folder.path());
  test::WriteBytes(folder / "config.json", "{");
  EXPECT_THROW(VerifyFolder(folder.path()), Error);
}

}  // namespace
}  // namespace cedar
