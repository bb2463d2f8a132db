#ifndef CEDAR_PERF_RANDOM_WEIGHTS_H_
#define CEDAR_PERF_RANDOM_WEIGHTS_H_

// Matrices of random weights of one shape, one after the other in memory on huge pages.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "simd/formats.h"
#include "simd/matrix.h"
#include "simd/memory.h"
#include "simd/team_probes.h"
#include "weights/matrix_bytes.h"
#include "weights/random.h"

namespace cedar::perf {

class RandomWeights {
 public:
  RandomWeights(Format format, size_t rows, size_t cols, size_t count)
      : shape_{format, rows, cols, nullptr, nullptr},
        bytes_(MatrixBytes(shape_)),
        memory_(count * bytes_, "weights to measure with") {
    Random random(1);
    const bool codes = format == Format::kFp8 || format == Format::kFp4;
    for (size_t i = 0; i + 8 <= memory_.bytes(); i += 8) {
      // Keeps floats and E4M3 codes of middling size.
      uint64_t bits = random.Next() & 0xBFBFBFBFBFBFBFBF;
      if (!codes) bits = (bits & 0x807F807F807F807F) | 0x3C003C003C003C00;
      std::memcpy(memory_.data() + i, &bits, sizeof(bits));
    }
    for (size_t i = 0; codes && i < count; ++i) {  // scales below 1
      uint8_t* const scales = memory_.data() + i * bytes_ + DataBytes();
      for (size_t j = 0; j < bytes_ - DataBytes(); ++j) scales[j] = 115 + scales[j] % 8;
    }
  }

  WeightMatrix operator[](size_t i) const {
    WeightMatrix matrix = shape_;
    matrix.data = memory_.data() + i * bytes_;
    if (bytes_ > DataBytes()) matrix.scales = matrix.data + DataBytes();
    return matrix;
  }
  simd::Bytes bytes() const { return {memory_.data(), memory_.bytes()}; }

 private:
  size_t DataBytes() const { return shape_.rows * RowBytes(shape_.format, shape_.cols); }

  WeightMatrix shape_;
  size_t bytes_;  // of one matrix
  simd::Memory memory_;
};

}  // namespace cedar::perf

#endif  // CEDAR_PERF_RANDOM_WEIGHTS_H_
