#include "simd/reference/attention.h"

#include <algorithm>

#include "simd/reference/arithmetic.h"
#include "simd/reference/quantise.h"

namespace cedar::simd::reference {

namespace {

// Scratch: decoded rows [rows][head_dim], then one head's logits [rows] and output [head_dim].
struct Scratch {
  double* weights;  // [rows]
  double* output;   // [head_dim]
  float* rows;      // [rows][head_dim]
};

Scratch Divide(uint8_t* scratch, size_t rows, size_t head_dim) {
  double* weights = reinterpret_cast<double*>(scratch);
  double* output = weights + rows;
  return {weights, output, reinterpret_cast<float*>(output + head_dim)};
}

void DecodeRows(const AttendInput& in, float* out) {
  for (const uint8_t* row : in.window) {
    DecodeWindowRow(row, in.head_dim, out);
    out += in.head_dim;
  }
  for (const uint8_t* row : in.selected) {
    DecodeCompressedRow(row, in.head_dim, out);
    out += in.head_dim;
  }
}

// q . row to fp32, times the fp32 scale to fp32.
float Logit(const Bf16* q, const float* row, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += static_cast<double>(ToFloat(q[i])) * row[i];
  return static_cast<float>(sum) * static_cast<float>(std::pow(static_cast<double>(n), -0.5));
}

// Logits -> exponentials relative to the largest, the sink among them. Returns their sum with it.
double Exponentials(double* weights, size_t rows, float sink) {
  const double top = std::max<double>(*std::max_element(weights, weights + rows), sink);
  double total = 0;
  for (size_t r = 0; r < rows; ++r) total += weights[r] = std::exp(weights[r] - top);
  return total + std::exp(sink - top);
}

void AttendHead(const Bf16* q, float sink, size_t rows, size_t head_dim, const Scratch& scratch,
                Bf16* out) {
  for (size_t r = 0; r < rows; ++r) {
    scratch.weights[r] = Logit(q, scratch.rows + r * head_dim, head_dim);
  }
  const double total = Exponentials(scratch.weights, rows, sink);
  std::fill_n(scratch.output, head_dim, 0.0);
  for (size_t r = 0; r < rows; ++r) {
    const float* row = scratch.rows + r * head_dim;
    for (size_t c = 0; c < head_dim; ++c) scratch.output[c] += scratch.weights[r] * row[c];
  }
  for (size_t c = 0; c < head_dim; ++c) out[c] = Bf16FromDouble(scratch.output[c] / total);
}

}  // namespace

size_t AttendScratchBytes(size_t rows, size_t /*heads*/, size_t head_dim) {
  return (rows + head_dim) * sizeof(double) + rows * head_dim * sizeof(float);
}

void Attend(const AttendInput& in, Range heads, uint8_t* scratch, Bf16* out) {
  const size_t rows = in.window.size() + in.selected.size();
  const Scratch parts = Divide(scratch, rows, in.head_dim);
  DecodeRows(in, parts.rows);
  for (size_t h = heads.begin; h < heads.end; ++h) {
    AttendHead(in.q + h * in.head_dim, in.sink[h], rows, in.head_dim, parts, out + h * in.head_dim);
  }
}

}  // namespace cedar::simd::reference
