// What an engine refuses to load although each of its files is right.

#include "engine/model.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "simd/error.h"
#include "tests/engine/golden_checkpoint.h"
#include "weights/matrix_bytes.h"
#include "weights/weight_walk.h"

namespace cedar {
namespace {

// Golden tokenizers end with `, "last": id}`.
void DropLastToken(std::string& tokenizer) {
  const size_t end = tokenizer.rfind("\": ");
  const size_t begin = tokenizer.rfind(", ", end);
  tokenizer.erase(begin, tokenizer.find('}', end) - begin);
}

void AddToken(std::string& tokenizer, int id) {
  tokenizer.insert(tokenizer.find('}', tokenizer.rfind("\": ")), ", \"zz\": " + std::to_string(id));
}

void ExpectRefused(const GoldenFiles& files, const std::string& message) {
  try {
    files.MakeEngine();
    FAIL() << "nothing was refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kModel);
    EXPECT_EQ(std::string(e.what()), message);
  }
}

TEST(ModelTest, MoreTokensThanEmbeddings) {
  GoldenFiles files("odd");
  AddToken(files["tokenizer.json"], 300);
  ExpectRefused(files,
                "memory/tokenizer.json: found 301 tokens, expected at most 300 (vocab_size)");
}

TEST(ModelTest, EmbeddingsWithoutToken) {
  GoldenFiles files("odd");
  DropLastToken(files["tokenizer.json"]);
  EXPECT_EQ(files.MakeEngine().tokenizer().size(), 299);
}

// The token map would have no class for such an id.
TEST(ModelTest, EmbeddingsWithoutTokenUnderEngram) {
  GoldenFiles files("tiny");
  DropLastToken(files["tokenizer.json"]);
  ExpectRefused(files, "memory/tokenizer.json: found 511 tokens, expected 512 (vocab_size)");
}

PageKey IdentityOf(const GoldenFiles& files) { return files.MakeEngine().model().Identity(); }

// What names the pages of a store (engine/model_identity.h).
TEST(ModelTest, TheIdentityIsThatOfTheFiles) {
  const GoldenFiles files("odd");
  const PageKey identity = IdentityOf(files);
  EXPECT_EQ(identity, IdentityOf(GoldenFiles("odd")));
  // As after a training: every weight is a little different, but the shapes are the same.
  GoldenFiles trained("odd");
  std::string& weights = trained["model-00001-of-00002.safetensors"];
  for (size_t i = weights.size() / 4; i < weights.size(); i += 2) weights[i] ^= 1;
  EXPECT_NE(KeyText(identity), KeyText(IdentityOf(trained)));
  GoldenFiles renamed("odd");
  renamed["config.json"] += " ";
  EXPECT_NE(KeyText(identity), KeyText(IdentityOf(renamed)));
}

// A weight that is a little different makes another key, whatever matrix it is of.
TEST(ModelTest, TheIdentityIsThatOfEveryMatrix) {
  const Engine engine = GoldenCheckpoint("tiny").MakeEngine(Isa::kReference);
  // The test alone knows this engine, and nothing is computed meanwhile.
  Model& model = const_cast<Model&>(engine.model());
  const PageKey identity = model.Identity();
  const auto changes = [&](WeightMatrix& matrix) {
    std::vector<uint8_t> bytes(matrix.data, matrix.data + MatrixBytes(matrix));
    bytes[0] ^= 1;
    const uint8_t* const data = std::exchange(matrix.data, bytes.data());
    const bool changed = KeyText(model.Identity()) != KeyText(identity);
    matrix.data = data;
    return changed;
  };
  size_t experts = 0;
  ForEachMatrix(model.weights, [&](WeightRole role, WeightMatrix& matrix) {
    if (role == WeightRole::kRoutedExpert) {
      experts += changes(matrix) ? 1 : 0;
    } else if (role != WeightRole::kHead) {  // no global KV follows from it
      EXPECT_TRUE(changes(matrix)) << matrix.rows << " x " << matrix.cols;
    }
  });
  const size_t sampled = (model.config.experts + 7) / 8;  // of every layer
  EXPECT_EQ(experts, 3 * sampled * model.weights.layers.size());
}

// Nor does it depend on where the weights lie.
TEST(ModelTest, TheIdentityOfLoadedWeights) {
  for (const std::string name : {"tiny", "odd"}) {
    const GoldenCheckpoint golden(name);
    const PageKey mapped = golden.MakeEngine(Isa::kReference).model().Identity();
    for (const std::vector<simd::NodeThreads>& nodes :
         {std::vector<simd::NodeThreads>{{0, 1}}, {{0, 1}, {1, 1}}, {{0, 1}, {1, 1}, {2, 3}}}) {
      const Engine engine = golden.MakeEngine(
          {.isa = Isa::kReference, .weights = WeightPlace::kHugePages, .nodes = nodes});
      EXPECT_EQ(engine.model().Identity(), mapped) << name << ", " << nodes.size() << " nodes";
    }
  }
}

}  // namespace
}  // namespace cedar
