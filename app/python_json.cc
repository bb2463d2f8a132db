#include "app/python_json.h"

#include <charconv>

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

// Python's repr of a finite float: plain from 1e-4 up to 1e16, else with an exponent.
std::string PythonFloat(double value) {
  char buffer[32];  // the longest is 24 characters
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string shortest(buffer, end.ptr);  // [-]d[.ddd]e+xx
  const size_t e = shortest.find('e');
  const int exponent = std::stoi(shortest.substr(e + 1));
  if (exponent < -4 || exponent >= 16) return shortest;

  const std::string sign = shortest[0] == '-' ? "-" : "";
  std::string digits;
  for (const char c : shortest.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
  const size_t whole = exponent + 1;  // digits before the point
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  const std::string fraction = digits.substr(whole);
  return sign + digits.substr(0, whole) + "." + (fraction.empty() ? "0" : fraction);
}

void Append(const Json& value, std::string& out) {
  const char* separator = "";
  if (value.is_object()) {
    out += "{";
    for (const auto& [key, member] : value.items()) {
      out += separator + Json(key).dump() + ": ";
      Append(member, out);
      separator = ", ";
    }
    out += "}";
  } else if (value.is_array()) {
    out += "[";
    for (const Json& element : value) {
      out += separator;
      Append(element, out);
      separator = ", ";
    }
    out += "]";
  } else {
    out += value.is_number_float() ? PythonFloat(value.get<double>()) : value.dump();
  }
}

}  // namespace

std::string PythonJson(const Json& value) {
  std::string out;
  Append(value, out);
  return out;
}

}  // namespace cedar
