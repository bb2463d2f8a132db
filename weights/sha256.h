#ifndef CEDAR_WEIGHTS_SHA256_H_
#define CEDAR_WEIGHTS_SHA256_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cedar {

// The SHA-256 of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void Add(std::span<const uint8_t> bytes);
  // 64 hexadecimal digits, in small letters. Begins anew.
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Whether the text is such a sum; capital letters are allowed.
bool IsSha256(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_SHA256_H_
