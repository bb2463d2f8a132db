#ifndef CEDAR_TESTS_ENGINE_CODE_AGREEMENT_H_
#define CEDAR_TESTS_ENGINE_CODE_AGREEMENT_H_

// Counts how the codes of packed rows that a fast kernel path wrote agree with the reference's:
// at least 99.9 % are equal, and the rest one code away.

#include <cstddef>
#include <cstdint>
#include <string>

namespace cedar {

class CodeAgreement {
 public:
  // Packed rows of `channels` channels in the layouts of simd/formats.h.
  void AddWindowRow(const uint8_t* ours, const uint8_t* truth, size_t channels);
  void AddCompressedRow(const uint8_t* ours, const uint8_t* truth, size_t channels);
  void AddIndexKey(const uint8_t* ours, const uint8_t* truth, size_t channels);

  void Check(const std::string& what) const;

 private:
  struct Code;
  void Add(const Code& ours, const Code& truth);

  size_t codes_ = 0;
  size_t equal_ = 0;
  size_t far_ = 0;  // more than one code away
};

}  // namespace cedar

#endif  // CEDAR_TESTS_ENGINE_CODE_AGREEMENT_H_
