#include "weights/tokenizer_file.h"

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "simd/error.h"
#include "weights/tokenizer_json.h"

namespace cedar {
namespace {

using Json = nlohmann::json;

// A value of the file together with the way to it, for errors.
class Node {
 public:
  Node(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  bool IsNull() const { return value_->is_null(); }
  bool IsTrue() const { return *value_ == true; }

  [[noreturn]] void Fail(const std::string& expected) const {
    constexpr size_t kMostShown = 80;
    std::string found = value_->dump();
    if (found.size() > kMostShown) found = std::string("a long ") + value_->type_name();
    throw Error(ErrorKind::kModel, path_ + ": found " + found + ", expected " + expected);
  }

  // The value of a key; null if there is none.
  Node At(const std::string& key) const {
    static const Json kNull;
    if (!value_->is_object()) Fail("an object");
    const auto found = value_->find(key);
    const std::string separator = path_.ends_with(' ') ? "" : ".";  // after "FILE: " none
    return Node(found == value_->end() ? kNull : *found, path_ + separator + key);
  }

  // The values of an array; none if it is missing.
  std::vector<Node> Elements() const {
    if (!value_->is_array() && !IsNull()) Fail("an array");
    std::vector<Node> elements;
    for (size_t i = 0; i < value_->size(); ++i) {
      elements.emplace_back((*value_)[i], path_ + "[" + std::to_string(i) + "]");
    }
    return elements;
  }

  const std::string& String() const {
    if (!value_->is_string()) Fail("a string");
    return value_->get_ref<const std::string&>();
  }

  int64_t Integer() const {
    if (!value_->is_number_integer()) Fail("a whole number");
    return value_->get<int64_t>();
  }

  void Expect(const Json& expected) const {
    if (*value_ != expected) Fail(expected.dump());
  }
  void ExpectNullOr(const Json& expected) const {
    if (!IsNull()) Expect(expected);
  }

 private:
  const Json* value_;
  std::string path_;
};

// ---- The steps around the model
// -------------------------------------------------------------------

void CheckNormalizer(const Node& normalizer) {
  if (normalizer.IsNull()) return;
  normalizer.At("type").Expect("Sequence");
  normalizer.At("normalizers").Expect(Json::array());
}

void CheckPostProcessorAndDecoder(const Node& root) {
  // A ByteLevel post-processor moves offsets only; others would add tokens.
  const Node post_processor = root.At("post_processor");
  if (!post_processor.IsNull()) post_processor.At("type").Expect("ByteLevel");
  root.At("decoder").At("type").Expect("ByteLevel");
}

std::string ParseSplit(const Node& split) {
  split.At("type").Expect("Split");
  split.At("behavior").Expect("Isolated");
  split.At("invert").ExpectNullOr(false);
  return split.At("pattern").At("Regex").String();
}

// A sequence of Splits, and last the step to bytes.
std::vector<std::string> ParsePreTokenizer(const Node& pre_tokenizer) {
  pre_tokenizer.At("type").Expect("Sequence");
  std::vector<Node> steps = pre_tokenizer.At("pretokenizers").Elements();
  if (steps.empty()) pre_tokenizer.At("pretokenizers").Fail("Split steps, then a ByteLevel step");
  const Node last = steps.back();
  steps.pop_back();
  std::vector<std::string> patterns;
  for (const Node& step : steps) patterns.push_back(ParseSplit(step));
  last.At("type").Expect("ByteLevel");
  last.At("add_prefix_space").Expect(false);
  last.At("use_regex").Expect(false);
  return patterns;
}

void CheckModelKind(const Node& model) {
  model.At("type").Expect("BPE");
  model.At("dropout").ExpectNullOr(0.0);
  model.At("unk_token").Expect(nullptr);
  model.At("continuing_subword_prefix").ExpectNullOr("");
  model.At("end_of_word_suffix").ExpectNullOr("");
  model.At("byte_fallback").ExpectNullOr(false);
  model.At("ignore_merges").ExpectNullOr(false);
  // Both are there, and empty because their contents lie in TokenizerJson's lists.
  model.At("vocab").Expect(Json::object());
  model.At("merges").Expect(Json::array());
}

// ---- Tokens and merges
// ----------------------------------------------------------------------------

std::string Quoted(std::string_view text) { return Json(text).dump(); }

// Every token at its id. The views look into the TokenizerJson.
class TokenTable {
 public:
  explicit TokenTable(const std::string& file) : file_(file) {}

  void ReadVocab(const TokenizerJson& json) {
    ids_.reserve(json.vocab.size());
    for (const auto& [text, id] : json.vocab) Add(text, id, "model.vocab");
  }

  std::vector<ControlToken> ReadAdded(const Node& added) {
    std::vector<ControlToken> controls;
    std::unordered_set<std::string_view> seen;
    for (const Node& token : added.Elements()) {
      for (const char* flag : {"single_word", "lstrip", "rstrip"}) {
        token.At(flag).ExpectNullOr(false);
      }
      const std::string& text = token.At("content").String();
      const int64_t id = token.At("id").Integer();
      if (text.empty()) token.At("content").Fail("a text");
      if (!seen.insert(text).second) token.At("content").Fail("a text that is listed once");
      const auto in_vocab = ids_.find(text);
      if (in_vocab == ids_.end()) {
        Add(text, id, "added_tokens");
      } else if (in_vocab->second != id) {
        token.At("id").Fail(std::to_string(in_vocab->second) + ", the id in model.vocab");
      }
      controls.push_back({text, static_cast<int32_t>(id), token.At("normalized").IsTrue()});
    }
    return controls;
  }

  // The texts by id, which must be 0, 1, 2, ... without gaps.
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts(ids_.size());
    std::vector<bool> taken(ids_.size());
    for (const auto& [text, id] : ids_) {
      const auto last = static_cast<int64_t>(ids_.size()) - 1;
      if (id < 0 || id > last) {
        Fail("token " + Quoted(text), std::to_string(id),
             "an id from 0 to " + std::to_string(last) + ", one for each token");
      }
      if (taken[id]) {
        Fail("token " + Quoted(text), std::to_string(id),
             "another id, since " + Quoted(texts[id]) + " has that one");
      }
      taken[id] = true;
      texts[id] = text;
    }
    return texts;
  }

  std::vector<Merge> ReadMerges(const TokenizerJson& json) const {
    std::vector<Merge> merges;
    merges.reserve(json.merges.size());
    for (const auto& [left, right] : json.merges) {
      merges.push_back(
          {MergeId(left, merges), MergeId(right, merges), MergeId(left + right, merges)});
    }
    return merges;
  }

 private:
  [[noreturn]] void Fail(const std::string& where, const std::string& found,
                         const std::string& expected) const {
    throw Error(ErrorKind::kModel,
                file_ + ": " + where + ": found " + found + ", expected " + expected);
  }

  void Add(std::string_view text, int64_t id, const std::string& where) {
    if (!ids_.emplace(text, id).second) Fail(where, Quoted(text) + " twice", "it once");
  }

  // The id of a token of the merge that follows `before`.
  int32_t MergeId(std::string_view text, const std::vector<Merge>& before) const {
    const auto found = ids_.find(text);
    if (found == ids_.end()) {
      Fail("model.merges[" + std::to_string(before.size()) + "]", Quoted(text),
           "a token of model.vocab");
    }
    return static_cast<int32_t>(found->second);
  }

  const std::string& file_;
  std::unordered_map<std::string_view, int64_t> ids_;
};

}  // namespace

TokenizerFile ParseTokenizerFile(std::string_view json, const std::string& file) {
  const TokenizerJson parsed = ParseTokenizerJson(json, file);
  const Node root(parsed.rest, file + ": ");
  CheckNormalizer(root.At("normalizer"));
  CheckPostProcessorAndDecoder(root);
  CheckModelKind(root.At("model"));

  TokenTable tokens(file);
  tokens.ReadVocab(parsed);
  TokenizerFile result;
  result.controls = tokens.ReadAdded(root.At("added_tokens"));
  result.texts = tokens.Texts();
  result.merges = tokens.ReadMerges(parsed);
  result.patterns = ParsePreTokenizer(root.At("pre_tokenizer"));
  return result;
}

}  // namespace cedar
