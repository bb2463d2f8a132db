#include "app/json_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "app/json_text.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Takes what the library's parser reads, one event at a time, and puts the value together.
class JsonBuilder : public nlohmann::json_sax<Json> {
 public:
  JsonBuilder(const std::string& source, SameKeys same) : source_(source), same_(same) {}

  Json Finish() { return std::move(root_); }

  bool null() override { return Leaf(nullptr); }
  bool boolean(bool value) override { return Leaf(value); }
  bool number_integer(number_integer_t value) override { return Leaf(value); }
  bool number_unsigned(number_unsigned_t value) override { return Leaf(value); }
  bool number_float(number_float_t value, const string_t&) override { return Leaf(value); }
  bool string(string_t& value) override { return Leaf(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // text has none

  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }

  bool key(string_t& key) override {
    Level& level = open_.back();
    auto& members = level.value->get_ref<Json::object_t&>();
    const auto [place, is_new] = level.places.emplace(key, members.size());
    if (!is_new && same_ == SameKeys::kError) {
      Complain("found the key " + Json(key).dump() +
               " a second time in its object, expected each key once");
    }
    // Not by the functions of objects, which look through all keys first.
    if (is_new) members.emplace_back(key, nullptr);
    level.next = &members.begin()[static_cast<std::ptrdiff_t>(place->second)].second;
    return true;
  }

  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    Complain("byte " + std::to_string(position) + ": expected JSON, found " +
             Reason(error.what(), token));
  }

 private:
  // An array or object that is not complete.
  struct Level {
    Json* value;
    Json* next = nullptr;                       // where the value of the last key goes
    std::map<std::string, size_t> places = {};  // of the keys
  };

  [[noreturn]] void Complain(const std::string& what) const {
    throw Error(ErrorKind::kInput, source_ + ": " + what);
  }

  // What the library's message says behind its number and the place, which counts lines of its own;
  // the token in a form that can be printed.
  static std::string Reason(const std::string& message, const std::string& token) {
    constexpr std::string_view kPlace = " - ", kToken = "; last read: ";
    const size_t place = message.find(kPlace), read = message.find(kToken);
    if (place == message.npos) return message.substr(message.find(' ') + 1);
    const size_t begin = place + kPlace.size();
    if (read == message.npos) return message.substr(begin);
    constexpr size_t kShown = 40;
    const std::string end = token.substr(token.size() - std::min(token.size(), kShown));
    return message.substr(begin, read - begin) + " at the end of " +
           Json(end).dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  }

  Json& Put(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Level& level = open_.back();
    if (level.value->is_object()) return *level.next = std::move(value);
    level.value->push_back(std::move(value));
    return level.value->back();
  }
  bool Leaf(Json value) {
    Put(std::move(value));
    return true;
  }

  bool Open(Json empty) {
    if (open_.size() == kMostJsonLevels) {
      Complain("found JSON of more than " + std::to_string(kMostJsonLevels) +
               " levels, expected no more");
    }
    // Stays where it is: until it is complete, nothing is added to what holds it.
    Json& value = Put(std::move(empty));
    open_.push_back({&value});
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  const std::string& source_;
  SameKeys same_;
  Json root_;
  std::vector<Level> open_;
};

}  // namespace

Json ReadJson(std::string_view text, const std::string& source, SameKeys same) {
  JsonBuilder builder(source, same);
  Json::sax_parse(text, &builder);
  return builder.Finish();
}

}  // namespace cedar
