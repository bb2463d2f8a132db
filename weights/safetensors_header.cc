#include "weights/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "weights/model_error.h"

namespace cedar {
namespace {

// The parser calls one method for each thing it meets. Events instead of a tree: the release has
// 96,085 entries, and no depth of nesting can exhaust the stack.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& path) : path_(path) {}

  std::vector<HeaderEntry> Take() { return std::move(entries_); }

  bool key(string_t& text) override {
    if (place_ == Place::kMetadata) return true;
    if (place_ == Place::kNames) {
      name_ = text;
      if (!names_.insert(text).second) Refuse("it twice", "one entry");
    } else {
      field_ = text;
    }
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::kMetadata) {
      ++metadata_depth_;
    } else if (place_ == Place::kStart) {
      place_ = Place::kNames;
    } else if (place_ != Place::kNames) {
      Refuse("an object", "dtype, shape and data_offsets");
    } else if (name_ == "__metadata__") {
      place_ = Place::kMetadata;
      metadata_depth_ = 1;
    } else {
      place_ = Place::kEntry;
      entries_.push_back({name_, {}, {}, {}});
      seen_dtype_ = seen_shape_ = seen_offsets_ = false;
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kMetadata) {
      if (--metadata_depth_ == 0) place_ = Place::kNames;
    } else if (place_ == Place::kEntry) {
      if (!seen_dtype_) Refuse("no dtype", "one");
      if (!seen_shape_) Refuse("no shape", "one");
      if (entries_.back().data_offsets.size() != 2) {
        Refuse(std::to_string(entries_.back().data_offsets.size()) + " data_offsets", "2");
      }
      place_ = Place::kNames;
    }
    return true;
  }

  bool start_array(size_t) override {
    if (place_ == Place::kMetadata) {
      ++metadata_depth_;
    } else if (place_ == Place::kNames) {
      Refuse("a list", "an object");
    } else if (place_ == Place::kEntry && field_ == "shape" && !seen_shape_) {
      place_ = Place::kNumbers;
      numbers_ = &entries_.back().shape;
      seen_shape_ = true;
    } else if (place_ == Place::kEntry && field_ == "data_offsets" && !seen_offsets_) {
      place_ = Place::kNumbers;
      numbers_ = &entries_.back().data_offsets;
      seen_offsets_ = true;
    } else {
      Refuse("a list" + AtField(), "one dtype, one shape and one data_offsets");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kMetadata) {
      --metadata_depth_;
    } else {
      place_ = Place::kEntry;
    }
    return true;
  }

  bool string(string_t& text) override {
    if (place_ == Place::kMetadata) return true;
    if (place_ == Place::kNames) return Scalar(text);
    if (place_ != Place::kEntry || field_ != "dtype" || seen_dtype_) {
      Refuse(Quoted(text) + AtField(), "one dtype, and whole numbers in shape and data_offsets");
    }
    entries_.back().dtype = text;
    seen_dtype_ = true;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ == Place::kMetadata) return true;
    if (place_ != Place::kNumbers) return Scalar(std::to_string(value));
    numbers_->push_back(value);
    return true;
  }

  bool number_integer(number_integer_t value) override { return Scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return Scalar(text); }
  bool boolean(bool value) override { return Scalar(value ? "true" : "false"); }
  bool null() override { return Scalar("null"); }
  bool binary(binary_t&) override { return Scalar("binary"); }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    RefuseModel(path_ + ": header", "no JSON at its byte " + std::to_string(position), "JSON");
  }

 private:
  enum class Place {
    kStart,     // before anything
    kNames,     // in the outer object
    kEntry,     // in a tensor's object
    kNumbers,   // in its shape or data_offsets
    kMetadata,  // anywhere in __metadata__, where everything is allowed
  };

  bool Scalar(const std::string& text) {
    if (place_ == Place::kNames) Refuse(Quoted(text), "an object");
    if (place_ != Place::kMetadata) {
      Refuse(Quoted(text) + AtField(), "whole numbers in shape and data_offsets");
    }
    return true;
  }

  std::string AtField() const {
    const bool inside = place_ == Place::kEntry || place_ == Place::kNumbers;
    return inside ? " at " + Quoted(field_) : "";
  }

  [[noreturn]] void Refuse(const std::string& found, const std::string& expected) const {
    const bool outside = place_ == Place::kStart;
    RefuseModel(path_ + (outside ? ": header" : ": tensor " + Quoted(name_)), found,
                outside ? "an object" : expected);
  }

  const std::string& path_;
  Place place_ = Place::kStart;
  size_t metadata_depth_ = 0;
  std::string name_;
  std::string field_;
  bool seen_dtype_ = false;
  bool seen_shape_ = false;
  bool seen_offsets_ = false;
  std::vector<uint64_t>* numbers_ = nullptr;
  std::vector<HeaderEntry> entries_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::vector<HeaderEntry> ParseHeader(std::string_view json, const std::string& path) {
  HeaderReader reader(path);
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  return reader.Take();
}

}  // namespace cedar
