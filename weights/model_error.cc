#include "weights/model_error.h"

#include "simd/error.h"

namespace cedar {

void RefuseModel(const std::string& where, const std::string& found, const std::string& expected) {
  throw Error(ErrorKind::kModel, where + ": found " + found + ", expected " + expected);
}

std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 120;
  std::string quoted = "'";
  for (const char c : text.substr(0, kLongest)) quoted += c >= ' ' && c <= '~' ? c : '?';
  return quoted + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace cedar
