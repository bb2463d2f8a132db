#include "weights/checkpoint_index.h"

#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "weights/model_error.h"

namespace cedar {
namespace {

bool IsPlainFileName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string("/\\\0", 3)) == std::string::npos;
}

// Events instead of a tree, as for the headers. Depth 1 is the outer object, depth 2 the weight_map
// (or another value, which is skipped).
class IndexReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit IndexReader(const std::string& path) : path_(path) {}

  std::vector<IndexEntry> Take() {
    if (!seen_map_) RefuseModel(path_, "no weight_map", "one");
    return std::move(entries_);
  }

  bool key(string_t& text) override {
    if (depth_ == 1) section_ = text;
    if (InMap()) {
      tensor_ = text;
      if (!names_.insert(text).second) Refuse("it twice", "one shard");
    }
    return true;
  }

  bool start_object(size_t) override {
    if (InMap()) Refuse("an object", "the name of a shard");
    ++depth_;
    if (depth_ == 2 && section_ == "weight_map") {
      if (seen_map_) RefuseModel(path_, "two weight_maps", "one");
      seen_map_ = true;
    }
    return true;
  }

  bool string(string_t& text) override {
    if (InMap()) {
      if (!IsPlainFileName(text)) Refuse("shard " + Quoted(text), "the name of a file beside it");
      entries_.push_back({tensor_, text});
    }
    return true;
  }

  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ == 0) RefuseModel(path_, "a list", "an object");
    if (InMap()) Refuse("a list", "the name of a shard");
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }

  bool null() override { return Scalar("null"); }
  bool boolean(bool value) override { return Scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return Scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return Scalar(text); }
  bool binary(binary_t&) override { return Scalar("binary"); }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    RefuseModel(path_, "no JSON at byte " + std::to_string(position), "JSON");
  }

 private:
  bool InMap() const { return depth_ == 2 && section_ == "weight_map"; }

  bool Scalar(const std::string& text) {
    if (InMap()) Refuse(text, "the name of a shard");
    return true;
  }

  [[noreturn]] void Refuse(const std::string& found, const std::string& expected) const {
    RefuseModel(path_ + ": weight_map: tensor " + Quoted(tensor_), found, expected);
  }

  const std::string& path_;
  size_t depth_ = 0;
  bool seen_map_ = false;
  std::string section_;
  std::string tensor_;
  std::vector<IndexEntry> entries_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<IndexEntry> ParseIndex(std::string_view json, const std::string& path) {
  IndexReader reader(path);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.Take();
}

}  // namespace cedar
