#ifndef CEDAR_APP_PYTHON_JSON_H_
#define CEDAR_APP_PYTHON_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

namespace cedar {

// A value as Python's json.dumps(value, ensure_ascii=False) writes it, which is how JSON looked in
// the model's training (text.md, C.2): ", " and ": " between things, keys in their order, floats
// with the fewest digits in Python's notation.
std::string PythonJson(const nlohmann::ordered_json& value);

}  // namespace cedar

#endif  // CEDAR_APP_PYTHON_JSON_H_
