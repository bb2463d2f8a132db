#include "simd/matmul_onednn.h"

#include "simd/targets.h"

#if defined(CEDAR_ONEDNN)

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <oneapi/dnnl/dnnl_ukernel.hpp>
#include <vector>

#include "simd/isa_target.h"
#include "simd/matmul_parts.h"
#include "simd/matmul_views.h"

namespace cedar::simd {

namespace {

using dnnl::memory;

// Rows of either side in one call, and activation rows that share one decoding of the weights.
constexpr size_t kBlock = 32, kChunk = 128;

// The generated code for one width.
class Ukernel {
 public:
  explicit Ukernel(size_t columns)
      : transform_(columns, kBlock, dnnl::ukernel::pack_type::trans, columns, kBlock,
                   memory::data_type::bf16, memory::data_type::bf16),
        brgemm_(kBlock, kBlock, Part(columns), columns / Part(columns), columns, kBlock, kBlock,
                memory::data_type::bf16, memory::data_type::bf16, memory::data_type::f32) {
    transform_.generate();
    brgemm_.set_add_C(false);
    brgemm_.finalize();
    brgemm_.generate();
    for (size_t k = 0; k < columns; k += Part(columns)) {
      offsets_.emplace_back(k * sizeof(uint16_t), k * kBlock * sizeof(uint16_t));
    }
  }

  size_t scratch_bytes() const { return brgemm_.get_scratchpad_size(); }

  // rows [kBlock][columns] -> packed, the same size.
  void PackWeights(const uint16_t* rows, uint16_t* packed) const {
    transform_.execute(rows, packed);
  }

  // out[i][j] = activation row i times weight row j, both kBlock rows.
  void Multiply(const uint16_t* activations, const uint16_t* packed, float* out,
                uint8_t* scratch) const {
    brgemm_.execute(activations, packed, offsets_, out, scratch);
  }

  // The calling thread is about to multiply, or is done with it.
  void Enter() const { brgemm_.set_hw_context(); }
  static void Leave() { dnnl::ukernel::brgemm::release_hw_context(); }

 private:
  // How much of K the ukernel takes at a time: about 512, and the whole a multiple of it.
  static size_t Part(size_t columns) {
    size_t part = 512;
    while (columns % part != 0) part -= 32;
    return part;
  }

  dnnl::ukernel::transform transform_;
  dnnl::ukernel::brgemm brgemm_;
  std::vector<std::pair<memory::dim, memory::dim>> offsets_;
};

// The code for every width met so far. It grows by one entry for each width of the model, which
// depends on nothing but the width, so sharing it between engines changes no result.
const Ukernel& UkernelFor(size_t columns) {
  static std::mutex mutex;
  static std::map<size_t, std::unique_ptr<Ukernel>> all;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Ukernel>& entry = all[columns];
  if (entry == nullptr) entry = std::make_unique<Ukernel>(columns);
  return *entry;
}

// What one call works in: decoded weights, the same packed, activations, a block of results.
struct Scratch {
  Scratch(uint8_t* base, size_t columns)
      : rows(reinterpret_cast<uint16_t*>(base)),
        packed(rows + kBlock * columns),
        activations(packed + kBlock * columns),
        out(reinterpret_cast<float*>(activations + kChunk * columns)),
        rest(reinterpret_cast<uint8_t*>(out + kBlock * kBlock)) {}

  static size_t Bytes(size_t columns) {
    return (2 * kBlock + kChunk) * columns * sizeof(uint16_t) + kBlock * kBlock * sizeof(float);
  }

  uint16_t *rows, *packed, *activations;
  float* out;
  uint8_t* rest;
};

// The functions of the table, for one Highway target.
template <int64_t kTarget>
struct OneDnn {
  static const MatMulParts& Parts() {
    static const MatMulParts parts = MatMulPartsFor(kTarget);
    return parts;
  }

  static size_t PackedBytes(Format weights, size_t cols) {
    if (weights == Format::kF32) return Parts().tiles.packed_bytes(weights, cols);
    return Bf16Columns(cols) * sizeof(uint16_t);
  }

  static void Pack(Format weights, Activation activation, const Bf16* x, size_t cols, Range part,
                   uint8_t* packed) {
    const auto pack = weights == Format::kF32 ? Parts().tiles.pack : Parts().pack_bf16;
    pack(weights, activation, x, cols, part, packed);
  }

  static size_t ScratchBytes(Format weights, size_t cols) {
    if (weights == Format::kF32) return Parts().tiles.scratch_bytes(weights, cols);
    const size_t columns = Bf16Columns(cols);
    return Scratch::Bytes(columns) + UkernelFor(columns).scratch_bytes();
  }

  static void Multiply(const WeightMatrix& w, Range range, std::span<const uint8_t* const> x,
                       const MatMulOutput& y, uint8_t* scratch) {
    if (w.format == Format::kF32) return Parts().tiles.multiply(w, range, x, y, scratch);
    const Ukernel& ukernel = UkernelFor(Bf16Columns(w.cols));
    ukernel.Enter();
    for (size_t token = 0; token < x.size(); token += kChunk) {
      const auto chunk = x.subspan(token, std::min(kChunk, x.size() - token));
      MultiplyChunk(ukernel, w, range, chunk, token, y, Scratch(scratch, Bf16Columns(w.cols)));
    }
    Ukernel::Leave();
  }

 private:
  // Up to kChunk activation rows, of which the first belongs to row `token` of y.
  static void MultiplyChunk(const Ukernel& ukernel, const WeightMatrix& w, Range range,
                            std::span<const uint8_t* const> x, size_t token, const MatMulOutput& y,
                            const Scratch& scratch) {
    const size_t columns = Bf16Columns(w.cols);
    const size_t blocks = (x.size() + kBlock - 1) / kBlock;
    for (size_t i = 0; i < blocks * kBlock; ++i) {
      uint16_t* row = scratch.activations + i * columns;
      if (i < x.size()) std::memcpy(row, x[i], columns * sizeof(uint16_t));
      if (i >= x.size()) std::memset(row, 0, columns * sizeof(uint16_t));
    }
    for (size_t row = range.begin; row < range.end; row += kBlock) {
      const size_t rows = std::min(kBlock, range.end - row);
      Parts().decode_bf16(w, row, rows, scratch.rows);
      ukernel.PackWeights(scratch.rows, scratch.packed);
      for (size_t i = 0; i < x.size(); i += kBlock) {
        ukernel.Multiply(scratch.activations + i * columns, scratch.packed, scratch.out,
                         scratch.rest);
        for (size_t m = i; m < std::min(i + kBlock, x.size()); ++m) {
          for (size_t r = 0; r < rows; ++r) {
            Put(y, token + m, row + r, scratch.out[(m - i) * kBlock + r]);
          }
        }
      }
    }
  }
};

template <int64_t kTarget>
MatMul TableFor() {
  using Functions = OneDnn<kTarget>;
  return {.name = "oneDNN brgemm ukernel",
          .packed_bytes = Functions::PackedBytes,
          .pack = Functions::Pack,
          .multiply = Functions::Multiply,
          .scratch_bytes = Functions::ScratchBytes};
}

}  // namespace

std::optional<MatMul> OneDnnMatMul(Isa isa) {
  // There to be tested only, so with the decoders that AVX3_SPR has too.
  if (isa == Isa::kAvx3Zen4) return TableFor<HWY_AVX3_DL>();
  if (isa == Isa::kAvx3Spr) return TableFor<HWY_AVX3_SPR>();
  return std::nullopt;
}

bool OneDnnIsChosen() {
  const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
  return isa == dnnl_cpu_isa_avx512_core_amx || isa == dnnl_cpu_isa_avx512_core_amx_fp16;
}

}  // namespace cedar::simd

#else

namespace cedar::simd {

std::optional<MatMul> OneDnnMatMul(Isa) { return std::nullopt; }

bool OneDnnIsChosen() { return false; }

}  // namespace cedar::simd

#endif  // CEDAR_ONEDNN
