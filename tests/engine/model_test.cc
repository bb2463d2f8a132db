// What an engine refuses to load although each of its files is right.

#include <gtest/gtest.h>

#include <string>

#include "engine/engine.h"
#include "simd/error.h"
#include "tests/engine/golden_checkpoint.h"

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

}  // namespace
}  // namespace cedar
