#include "engine/linear.h"

#include <algorithm>
#include <vector>

#include "engine/model.h"
#include "engine/scratch.h"
#include "engine/spread_rows.h"

namespace cedar {
namespace {

Activation ActivationFor(const Forward& f, Format format, Quantise quantise) {
  const bool quantised = format == Format::kFp8 || format == Format::kFp4;
  if (!quantised || quantise == Quantise::kNever) return Activation::kBf16;
  const bool int8 = format == Format::kFp4 && f.model.numerics == Numerics::kInt8;
  return int8 ? Activation::kInt8 : Activation::kFp8;
}

const simd::MatMul& KernelOf(const Forward& f, RowKind kind, Activation activation) {
  if (activation == Activation::kInt8) return f.model.kernels.integer;
  return kind == RowKind::kPrompt ? f.model.kernels.prompt : f.model.kernels.generated;
}

// The part of y that begins at activation row `row`.
MatMulOutput FromRow(const MatMulOutput& y, size_t row) {
  return {y.f32 == nullptr ? nullptr : y.f32 + row * y.stride,
          y.bf16 == nullptr ? nullptr : y.bf16 + row * y.stride, y.stride};
}

void AddProducts(const Activations& x, const PackedRows& packed, const LinearOutput& output,
                 Quantise quantise, std::vector<Product>& products) {
  const std::span<const uint8_t* const> rows(packed);
  if (x.prompt_rows > 0) {
    products.push_back({output.w, rows.first(x.prompt_rows), RowKind::kPrompt, output.y, quantise});
  }
  if (x.prompt_rows < x.rows) {
    products.push_back({output.w, rows.subspan(x.prompt_rows), RowKind::kGenerated,
                        FromRow(output.y, x.prompt_rows), quantise});
  }
}

}  // namespace

size_t PackedStride(const simd::Kernels& kernels, Format format, size_t cols) {
  constexpr size_t kLine = 64;
  size_t bytes = std::max(kernels.prompt.packed_bytes(format, cols),
                          kernels.generated.packed_bytes(format, cols));
  if (format == Format::kFp4) bytes = std::max(bytes, kernels.integer.packed_bytes(format, cols));
  return (bytes / kLine | 1) * kLine;
}

void PackRow(const Forward& f, RowKind kind, Format format, const Bf16* x, size_t cols,
             uint8_t* packed, Quantise quantise) {
  const Activation activation = ActivationFor(f, format, quantise);
  KernelOf(f, kind, activation).pack(format, activation, x, cols, {0, cols}, packed);
}

PackedRows Pack(const Forward& f, const Activations& x, size_t cols, Format format,
                Quantise quantise, uint8_t* buffer) {
  PackedRows packed(x.rows);
  const size_t stride = PackedStride(f.model.kernels, format, cols);
  f.model.workers.ForRanges(x.rows, 1, [&](Range rows, int) {
    for (size_t i = rows.begin; i < rows.end; ++i) {
      uint8_t* const row = buffer + i * stride;
      const RowKind kind = i < x.prompt_rows ? RowKind::kPrompt : RowKind::kGenerated;
      PackRow(f, kind, format, x.data + i * x.stride, cols, row, quantise);
      packed[i] = row;
    }
  });
  return packed;
}

void MultiplyRows(const Forward& f, const Product& p, Range rows, int worker) {
  const Activation activation = ActivationFor(f, p.w->format, p.quantise);
  KernelOf(f, p.kind, activation).multiply(*p.w, rows, p.x, p.y, f.scratch.worker(worker).kernel);
}

void Multiply(const Forward& f, std::span<const Product> products) {
  std::vector<size_t> rows;
  for (const Product& p : products) rows.push_back(p.w->rows);
  SpreadRows(f.model.workers, rows, [&](size_t i, Range range, int worker) {
    MultiplyRows(f, products[i], range, worker);
  });
}

void Linear(const Forward& f, const Activations& x, std::span<const LinearOutput> outputs,
            Quantise quantise) {
  std::vector<bool> done(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (done[i]) continue;
    const Format format = outputs[i].w->format;
    const PackedRows packed =
        Pack(f, x, outputs[i].w->cols, format, quantise, f.scratch.packed_input);
    std::vector<Product> products;
    for (size_t j = i; j < outputs.size(); ++j) {
      if (outputs[j].w->format != format) continue;
      AddProducts(x, packed, outputs[j], quantise, products);
      done[j] = true;
    }
    Multiply(f, products);
  }
}

}  // namespace cedar
