#ifndef CEDAR_ENGINE_LINEAR_H_
#define CEDAR_ENGINE_LINEAR_H_

// Matrix products of a step, spread over the threads (model.md, Number formats).

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "engine/forward.h"
#include "engine/step.h"
#include "simd/kernels.h"
#include "simd/matrix.h"

namespace cedar {

// Activations [rows][..], row i at data + i * stride; the first prompt_rows are rows of prompts.
struct Activations {
  const Bf16* data;
  size_t stride;
  size_t rows;
  size_t prompt_rows;
};

// Whether weights stored FP8 or FP4 see FP8 activations, or int8 ones (engine/numerics.h). Wo_a
// alone does not.
enum class Quantise { kByFormat, kNever };

// y = x times the matrix, which is as wide as x; rows of y follow the rows of x.
struct LinearTask {
  Activations x;
  const WeightMatrix* w;
  MatMulOutput y;
  Quantise quantise = Quantise::kByFormat;
};

// All of them together: the threads wait for each other once when the activations are packed and
// once at the end. What neighbours have in common is packed once.
void Linear(const Forward& f, std::span<const LinearTask> tasks);

// A matrix and where its products with every row go.
struct LinearOutput {
  const WeightMatrix* w;
  MatMulOutput y;
};

// The same for matrices that see the same activations.
void Linear(const Forward& f, const Activations& x, std::initializer_list<LinearOutput> outputs);

// ---- the two halves, for callers that pick rows (engine/moe.h) ----------------------------------

// Activations as matrices of one format and `cols` columns want them.
struct Packing {
  Activations x;
  size_t cols;
  Format format;
  Quantise quantise = Quantise::kByFormat;
};

// One pointer for each row, into the scratch.
using PackedRows = std::vector<const uint8_t*>;

// Packs all of them into scratch.packed_input, which the next call fills anew.
std::vector<PackedRows> Pack(const Forward& f, std::span<const Packing> packings);

// Part of one row alone, in blocks of 32: x [cols] -> packed [PackedStride()].
void PackRow(const Forward& f, RowKind kind, Format format, const Bf16* x, size_t cols, Range part,
             uint8_t* packed, Quantise quantise = Quantise::kByFormat);

// One matrix times some packed rows of one kind.
struct Product {
  const WeightMatrix* w;
  std::span<const uint8_t* const> x;
  RowKind kind;
  MatMulOutput y;
  Quantise quantise = Quantise::kByFormat;  // as the rows were packed
};

// Some weight rows of one, by the calling thread.
void MultiplyRows(const Forward& f, const Product& product, Range rows, int worker);

// All of them, the weight rows of all spread over the threads.
void Multiply(const Forward& f, std::span<const Product> products);

}  // namespace cedar

#endif  // CEDAR_ENGINE_LINEAR_H_
