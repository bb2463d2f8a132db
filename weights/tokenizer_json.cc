#include "weights/tokenizer_json.h"

#include <algorithm>

#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::json;

// Takes the events of the parser; `in_` says which part of the file they belong to.
class Handler : public nlohmann::json_sax<Json> {
 public:
  Handler(const std::string& file, TokenizerJson& out) : file_(file), out_(out) {}

  bool null() override { return Value(nullptr); }
  bool boolean(bool value) override { return Value(value); }
  bool number_float(double value, const std::string&) override { return Value(value); }
  bool binary(Json::binary_t& value) override { return Value(std::move(value)); }
  bool number_integer(int64_t value) override { return Integer(value); }
  bool number_unsigned(uint64_t value) override {
    constexpr auto kMost = static_cast<uint64_t>(INT64_MAX);
    return Integer(static_cast<int64_t>(std::min(value, kMost)));
  }

  bool string(std::string& value) override {
    if (in_ == Part::kMerges) {
      out_.merges.push_back(SplitMerge(value));
    } else if (in_ == Part::kMergePair) {
      pair_.push_back(std::move(value));
    } else {
      return Value(std::move(value));
    }
    return true;
  }

  bool start_object(size_t) override {
    if (in_ != Part::kRest) FailPart();
    Open(Json::object());
    if (IsModelKey("vocab")) in_ = Part::kVocab;
    return true;
  }

  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }

  bool end_object() override {
    Close();
    return true;
  }

  bool start_array(size_t) override {
    if (in_ == Part::kMerges) {
      in_ = Part::kMergePair;
      pair_.clear();
      return true;
    }
    if (in_ != Part::kRest) FailPart();
    Open(Json::array());
    if (IsModelKey("merges")) in_ = Part::kMerges;
    return true;
  }

  bool end_array() override {
    if (in_ == Part::kMergePair) {
      if (pair_.size() != 2) FailPart();
      out_.merges.emplace_back(std::move(pair_[0]), std::move(pair_[1]));
      in_ = Part::kMerges;
    } else {
      Close();
    }
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& e) override {
    throw Error(ErrorKind::kModel, file_ + ": damaged JSON: " + e.what());
  }

 private:
  enum class Part { kRest, kVocab, kMerges, kMergePair };

  struct Container {
    Json* value;
    std::string key;  // under which it stands in the one around it
  };

  // A container of the model object just opened, under this key?
  bool IsModelKey(std::string_view key) const {
    return open_.size() == 3 && open_[1].key == "model" && open_[2].key == key;
  }

  bool Integer(int64_t value) {
    if (in_ != Part::kVocab) return Value(value);
    out_.vocab.emplace_back(std::move(key_), value);
    return true;
  }

  bool Value(Json value) {
    if (in_ != Part::kRest) FailPart();
    Add(std::move(value));
    return true;
  }

  Json* Add(Json value) {
    if (open_.empty()) return &(out_.rest = std::move(value));
    Json& parent = *open_.back().value;
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  void Open(Json empty) {
    const bool named = !open_.empty() && open_.back().value->is_object();
    Json* added = Add(std::move(empty));
    open_.push_back({added, named ? key_ : std::string()});
  }

  void Close() {
    in_ = Part::kRest;
    open_.pop_back();
  }

  std::pair<std::string, std::string> SplitMerge(const std::string& text) const {
    const size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos) FailPart();
    return {text.substr(0, space), text.substr(space + 1)};
  }

  [[noreturn]] void FailPart() const {
    const std::string what = in_ == Part::kVocab
                                 ? ": model.vocab: \"" + key_ + "\": expected a whole number"
                                 : ": model.merges[" + std::to_string(out_.merges.size()) +
                                       "]: expected two tokens, as \"a b\" or [\"a\", \"b\"]";
    throw Error(ErrorKind::kModel, file_ + what);
  }

  const std::string& file_;
  TokenizerJson& out_;
  Part in_ = Part::kRest;
  std::vector<Container> open_;
  std::string key_;                // the last one seen
  std::vector<std::string> pair_;  // the merge being read
};

}  // namespace

TokenizerJson ParseTokenizerJson(std::string_view json, const std::string& file) {
  TokenizerJson parsed;
  Handler handler(file, parsed);
  Json::sax_parse(json, &handler);
  return parsed;
}

}  // namespace cedar
