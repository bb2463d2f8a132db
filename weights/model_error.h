#ifndef CEDAR_WEIGHTS_MODEL_ERROR_H_
#define CEDAR_WEIGHTS_MODEL_ERROR_H_

// How weights/ says that a model's files are not what they should be.

#include <string>
#include <string_view>

namespace cedar {

// Throws Error (kModel) "WHERE: found FOUND, expected EXPECTED". `where` is the file and in it the
// tensor or key, "DIR/config.json: hidden_size".
[[noreturn]] void RefuseModel(const std::string& where, const std::string& found,
                              const std::string& expected);

// Text from a file, fit for a message: in quotes, one line of plain ASCII, cut when long.
std::string Quoted(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_MODEL_ERROR_H_
