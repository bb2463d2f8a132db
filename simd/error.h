#ifndef CEDAR_SIMD_ERROR_H_
#define CEDAR_SIMD_ERROR_H_

// The two ways in which things go wrong.
//
// The world (a file, a request, too little memory): cedar::Error, one exception type for the whole
// program. Its message names the file and in it the tensor, key or line, what was found and what
// was expected. It is thrown while loading, planning and reading requests, never inside a parallel
// region, and caught once, in app/.
//
// Ourselves: CEDAR_CHECK, always on, for the promises between our own functions.

#include <stdexcept>
#include <string>

namespace cedar {

// Which exit code the program ends with when an error reaches main.
enum class ErrorKind {
  kInput,  // what the user fed in: a prompt, ids, a request line, an output that cannot be written
  kUsage,  // the command line
  kModel,  // the checkpoint is missing or damaged, or the memory plan refuses it
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// Prints the broken promise to stderr and aborts. Never returns.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace cedar

#define CEDAR_CHECK(condition) \
  ((condition) ? (void)0 : ::cedar::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // CEDAR_SIMD_ERROR_H_
