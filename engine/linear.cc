#include "engine/linear.h"

#include <algorithm>
#include <vector>

#include "engine/model.h"
#include "engine/packed_bytes.h"
#include "engine/scratch.h"
#include "engine/spread_rows.h"
#include "simd/error.h"
#include "weights/matrix_bytes.h"

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

MatMulOutput FromColumn(const MatMulOutput& y, size_t column) {
  return {y.f32 == nullptr ? nullptr : y.f32 + column,
          y.bf16 == nullptr ? nullptr : y.bf16 + column, y.stride};
}

void AddProducts(const LinearTask& task, std::span<const uint8_t* const> rows,
                 std::vector<Product>& products) {
  const Activations& x = task.x;
  if (x.prompt_rows > 0) {
    products.push_back(
        {task.w, rows.first(x.prompt_rows), RowKind::kPrompt, task.y, task.quantise});
  }
  if (x.prompt_rows < x.rows) {
    products.push_back({task.w, rows.subspan(x.prompt_rows), RowKind::kGenerated,
                        FromRow(task.y, x.prompt_rows), task.quantise});
  }
}

bool Same(const Packing& a, const Packing& b) {
  return a.x.data == b.x.data && a.x.stride == b.x.stride && a.x.rows == b.x.rows &&
         a.x.prompt_rows == b.x.prompt_rows && a.cols == b.cols && a.format == b.format &&
         a.quantise == b.quantise;
}

// The packing of the task's activations among the packings; added if it is new.
size_t PackingOf(const LinearTask& task, std::vector<Packing>& packings) {
  const Packing wanted{task.x, task.w->cols, task.w->format, task.quantise};
  const auto at = std::find_if(packings.begin(), packings.end(),
                               [&](const Packing& p) { return Same(p, wanted); });
  if (at != packings.end()) return static_cast<size_t>(at - packings.begin());
  packings.push_back(wanted);
  return packings.size() - 1;
}

// What is worth a call: a cache line or so of memory for each of the rows that are read side by
// side; all that share FP8 scales where they are decoded once for several activation rows.
size_t FewestRows(std::span<const Product> products) {
  const auto alone = [](const Product& p) { return p.x.size() == 1; };
  return std::all_of(products.begin(), products.end(), alone) ? 8 : kScaleBlock;
}

// Does as many of the tasks, from the first on, as the scratch has room to pack, and returns how
// many: all of them for few rows; of the groups of Wo_a, which have an input each, some at a time
// for the rows of a large chunk.
size_t LinearTogether(const Forward& f, std::span<const LinearTask> tasks) {
  std::vector<Packing> packings;
  std::vector<size_t> packing_of;
  size_t bytes = 0;
  for (const LinearTask& task : tasks) {
    const size_t before = packings.size(), packing = PackingOf(task, packings);
    if (packing == before) {
      bytes += task.x.rows * PackedStride(f.model.kernels, task.w->format, task.w->cols);
      if (bytes > f.scratch.packed_input_bytes) {
        packings.pop_back();
        break;
      }
    }
    packing_of.push_back(packing);
  }
  const std::vector<PackedRows> packed = Pack(f, packings);
  std::vector<Product> products;
  for (size_t i = 0; i < packing_of.size(); ++i) {
    AddProducts(tasks[i], packed[packing_of[i]], products);
  }
  Multiply(f, products);
  return packing_of.size();
}

}  // namespace

void PackRow(const Forward& f, RowKind kind, Format format, const Bf16* x, size_t cols, Range part,
             uint8_t* packed, Quantise quantise) {
  const Activation activation = ActivationFor(f, format, quantise);
  KernelOf(f, kind, activation).pack(format, activation, x, cols, part, packed);
}

std::vector<PackedRows> Pack(const Forward& f, std::span<const Packing> packings) {
  struct Row {
    const Packing* packing;
    size_t row;
    uint8_t* to;
  };
  std::vector<PackedRows> packed(packings.size());
  std::vector<Row> rows;
  uint8_t* to = f.scratch.packed_input;
  for (size_t i = 0; i < packings.size(); ++i) {
    const size_t stride = PackedStride(f.model.kernels, packings[i].format, packings[i].cols);
    for (size_t row = 0; row < packings[i].x.rows; ++row, to += stride) {
      packed[i].push_back(to);
      rows.push_back({&packings[i], row, to});
    }
  }
  CEDAR_CHECK(to <= f.scratch.packed_input + f.scratch.packed_input_bytes);
  f.model.workers.ForRanges(rows.size(), 1, [&](Range range, int) {
    for (const Row& row : std::span(rows).subspan(range.begin, range.size())) {
      const Packing& p = *row.packing;
      const RowKind kind = row.row < p.x.prompt_rows ? RowKind::kPrompt : RowKind::kGenerated;
      PackRow(f, kind, p.format, p.x.data + row.row * p.x.stride, p.cols, {0, p.cols}, row.to,
              p.quantise);
    }
  });
  return packed;
}

void MultiplyRows(const Forward& f, const Product& p, Range rows, int worker) {
  const Activation activation = ActivationFor(f, p.w->format, p.quantise);
  const simd::MatMul& kernel = KernelOf(f, p.kind, activation);
  while (rows.size() > 0) {
    const MatrixPart part = PartWith(*p.w, rows.begin);
    const size_t first = part.rows.begin, end = std::min(rows.end, part.rows.end);
    kernel.multiply(MatrixOf(*p.w, part), {rows.begin - first, end - first}, p.x,
                    FromColumn(p.y, first), f.scratch.worker(worker).kernel);
    rows.begin = end;
  }
}

void Multiply(const Forward& f, std::span<const Product> products) {
  std::vector<size_t> rows;
  for (const Product& p : products) rows.push_back(p.w->rows);
  SpreadRows(f.model.workers, rows, FewestRows(products), [&](size_t i, Range range, int worker) {
    MultiplyRows(f, products[i], range, worker);
  });
}

void Linear(const Forward& f, std::span<const LinearTask> tasks) {
  while (!tasks.empty()) {
    const size_t count = LinearTogether(f, tasks);
    CEDAR_CHECK(count > 0);
    tasks = tasks.subspan(count);
  }
}

void Linear(const Forward& f, const Activations& x, std::initializer_list<LinearOutput> outputs) {
  std::vector<LinearTask> tasks;
  for (const LinearOutput& output : outputs) tasks.push_back({x, output.w, output.y});
  Linear(f, tasks);
}

}  // namespace cedar
