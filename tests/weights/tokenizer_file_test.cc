#include "weights/tokenizer_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simd/error.h"
#include "tests/weights/tokenizer_data.h"

namespace cedar {
namespace {

using Json = nlohmann::json;

// A whole file with a control token, a merge and a split.
Json Good() {
  Json json = Json::parse(SmallTokenizerJson({"ab"}, {"a b"}));
  json["added_tokens"] = {{{"id", 257}, {"content", "<c>"}, {"normalized", false}}};
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", "x"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  Json& steps = json["pre_tokenizer"]["pretokenizers"];
  steps.insert(steps.begin(), split);
  return json;
}

std::string MessageOf(const std::string& json) {
  try {
    ParseTokenizerFile(json, "dir/tokenizer.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "no error";
}

TEST(TokenizerFile, ReadsWhatItSays) {
  const TokenizerFile parsed = ParseTokenizerFile(Good().dump(), "file");
  ASSERT_EQ(parsed.texts.size(), 258u);
  EXPECT_EQ(parsed.texts['a'], "a");
  EXPECT_EQ(parsed.texts[256], "ab");
  EXPECT_EQ(parsed.texts[257], "<c>");
  ASSERT_EQ(parsed.controls.size(), 1u);
  EXPECT_EQ(parsed.controls[0].id, 257);
  EXPECT_FALSE(parsed.controls[0].normalized);
  ASSERT_EQ(parsed.merges.size(), 1u);
  EXPECT_EQ(parsed.merges[0].left, 'a');
  EXPECT_EQ(parsed.merges[0].right, 'b');
  EXPECT_EQ(parsed.merges[0].merged, 256);
  EXPECT_EQ(parsed.patterns, std::vector<std::string>({"x"}));
}

TEST(TokenizerFile, MergesMayBePairs) {
  Json json = Good();
  json["model"]["merges"] = Json::array({Json::array({"a", "b"})});
  const TokenizerFile parsed = ParseTokenizerFile(json.dump(), "file");
  ASSERT_EQ(parsed.merges.size(), 1u);
  EXPECT_EQ(parsed.merges[0].merged, 256);
}

TEST(TokenizerFile, AnAddedTokenMayStandInTheVocabularyToo) {
  Json json = Good();
  json["model"]["vocab"]["<c>"] = 257;
  EXPECT_EQ(ParseTokenizerFile(json.dump(), "file").texts.size(), 258u);
}

TEST(TokenizerFile, WhatIsNotImplementedIsNamed) {
  const struct {
    const char* where;  // a JSON pointer
    Json value;
    const char* message;
  } cases[] = {
      {"/normalizer", {{"type", "NFC"}}, R"(normalizer.type: found "NFC", expected "Sequence")"},
      {"/normalizer", {{"type", "Sequence"}, {"normalizers", {1}}}, "normalizer.normalizers"},
      {"/pre_tokenizer", nullptr, "pre_tokenizer: found null"},
      {"/pre_tokenizer/type", "Whitespace", "pre_tokenizer.type"},
      {"/pre_tokenizer/pretokenizers", Json::array(), "pre_tokenizer.pretokenizers: found []"},
      {"/pre_tokenizer/pretokenizers/0/type", "Digits", "pretokenizers[0].type: found \"Digits\""},
      {"/pre_tokenizer/pretokenizers/0/behavior", "Removed", "pretokenizers[0].behavior"},
      {"/pre_tokenizer/pretokenizers/0/invert", true, "pretokenizers[0].invert"},
      {"/pre_tokenizer/pretokenizers/0/pattern",
       {{"String", "x"}},
       "pretokenizers[0].pattern.Regex"},
      {"/pre_tokenizer/pretokenizers/1/type", "Split", "pretokenizers[1].type"},
      {"/pre_tokenizer/pretokenizers/1/use_regex", true, "pretokenizers[1].use_regex"},
      {"/pre_tokenizer/pretokenizers/1/add_prefix_space", true,
       "pretokenizers[1].add_prefix_space"},
      {"/post_processor", {{"type", "TemplateProcessing"}}, "post_processor.type"},
      {"/decoder", nullptr, "decoder"},
      {"/decoder/type", "Metaspace", "decoder.type"},
      {"/model/type", "Unigram", R"(model.type: found "Unigram", expected "BPE")"},
      {"/model/dropout", 0.5, "model.dropout"},
      {"/model/unk_token", "<unk>", "model.unk_token"},
      {"/model/continuing_subword_prefix", "##", "model.continuing_subword_prefix"},
      {"/model/end_of_word_suffix", "</w>", "model.end_of_word_suffix"},
      {"/model/byte_fallback", true, "model.byte_fallback"},
      {"/model/ignore_merges", true, "model.ignore_merges"},
      {"/added_tokens/0/lstrip", true, "added_tokens[0].lstrip"},
      {"/added_tokens/0/rstrip", true, "added_tokens[0].rstrip"},
      {"/added_tokens/0/single_word", true, "added_tokens[0].single_word"},
  };
  for (const auto& c : cases) {
    Json json = Good();
    json[Json::json_pointer(c.where)] = c.value;
    const std::string message = MessageOf(json.dump());
    EXPECT_EQ(message.rfind("dir/tokenizer.json: ", 0), 0u) << message;
    EXPECT_NE(message.find(c.message), message.npos) << message;
  }
}

TEST(TokenizerFile, DamagedTokensAndMergesAreNamed) {
  const struct {
    const char* where;
    Json value;
    const char* message;
  } cases[] = {
      {"/model/vocab/ab", 255, "has that one"},
      {"/model/vocab/ab", 300, "token \"ab\": found 300, expected an id from 0 to 257"},
      {"/model/vocab/ab", -1, "token \"ab\": found -1"},
      {"/model/vocab/ab", "x", "model.vocab: \"ab\": expected a whole number"},
      {"/model/vocab/ab", 1.5, "model.vocab: \"ab\": expected a whole number"},
      {"/model/vocab/ab", Json::array(), "model.vocab: \"ab\": expected a whole number"},
      {"/model/vocab/ab", Json::object(), "model.vocab: \"ab\": expected a whole number"},
      {"/model/vocab", Json::array(), "model.vocab: found [], expected {}"},
      {"/model/vocab", nullptr, "model.vocab: found null"},
      {"/model/merges", nullptr, "model.merges: found null"},
      {"/model/merges", {"a b", "ab"}, "model.merges[1]: expected two tokens"},
      {"/model/merges", {"a b c"}, "model.merges[0]: expected two tokens"},
      {"/model/merges", {1}, "model.merges[0]: expected two tokens"},
      {"/model/merges", Json::array({Json::array({"a"})}), "model.merges[0]: expected two tokens"},
      {"/model/merges", Json::array({Json::array({"a", 1})}), "model.merges[0]: expected two"},
      {"/model/merges", {"a zz"}, "model.merges[0]: found \"zz\", expected a token"},
      {"/model/merges", {"a c"}, "model.merges[0]: found \"ac\", expected a token"},
      {"/model", 1, "model: found 1, expected an object"},
      {"/added_tokens", 1, "added_tokens: found 1, expected an array"},
      {"/added_tokens/0", 1, "added_tokens[0]: found 1, expected an object"},
      {"/added_tokens/0/id", "x", "added_tokens[0].id"},
      {"/added_tokens/0/id", 256, "expected another id"},
      {"/added_tokens/0/content", "", "added_tokens[0].content"},
      {"/added_tokens/0/content", 1, "added_tokens[0].content"},
      {"/added_tokens/0/content", "ab", "added_tokens[0].id: found 257, expected 256"},
      {"/added_tokens/1", {{"id", 258}, {"content", "<c>"}}, "added_tokens[1].content"},
  };
  for (const auto& c : cases) {
    Json json = Good();
    json[Json::json_pointer(c.where)] = c.value;
    const std::string message = MessageOf(json.dump());
    EXPECT_EQ(message.rfind("dir/tokenizer.json: ", 0), 0u) << message;
    EXPECT_NE(message.find(c.message), message.npos) << message;
  }
}

TEST(TokenizerFile, ATokenListedTwiceIsAnError) {
  std::string json = Good().dump();
  json.replace(json.find("\"ab\":256"), 8, "\"ab\":256,\"ab\":256");
  EXPECT_NE(MessageOf(json).find("\"ab\" twice"), std::string::npos) << MessageOf(json);
}

TEST(TokenizerFile, DamagedJsonIsAnError) {
  const std::string good = Good().dump();
  ASSERT_EQ(MessageOf(good), "no error");
  // Cut short anywhere: never a crash, always this error.
  for (size_t length = 0; length < good.size(); length += 7) {
    EXPECT_NE(MessageOf(good.substr(0, length)).find("damaged JSON"), std::string::npos) << length;
  }
  EXPECT_NE(MessageOf(good + "x").find("damaged JSON"), std::string::npos);
  EXPECT_NE(MessageOf("\"\xFF\"").find("damaged JSON"), std::string::npos);
  EXPECT_NE(MessageOf("[1]").find("expected an object"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(100'000, '[')).find("damaged JSON"), std::string::npos);
}

}  // namespace
}  // namespace cedar
