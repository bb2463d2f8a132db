#include "simd/reference/table.h"

#include "simd/reference/attention.h"
#include "simd/reference/engram.h"
#include "simd/reference/matmul.h"
#include "simd/reference/mixes.h"
#include "simd/reference/moe.h"
#include "simd/reference/rows.h"
#include "simd/reference/selection.h"

namespace cedar::simd::reference {

const Kernels& Table() {
  static const Kernels kernels = {
      .isa = Isa::kReference,
      .generated = ReferenceMatMul(),
      .prompt = ReferenceMatMul(),
      .integer = ReferenceMatMul(),
      .mix_dots = MixDots,
      .mix_finish = MixFinish,
      .collapse = Collapse,
      .expand = Expand,
      .rms_norm = RmsNorm,
      .rope = Rope,
      .store_window_row = StoreWindowRow,
      .store_compressed_row = StoreCompressedRow,
      .store_index_key = StoreIndexKey,
      .pool = Pool,
      .attend_scratch_bytes = AttendScratchBytes,
      .attend = Attend,
      .index_scores = IndexScores,
      .top_k = TopK,
      .block_max = BlockMax,
      .route = Route,
      .swiglu = Swiglu,
      .sum_rows = SumRows,
      .decode_engram_row = DecodeEngramRow,
      .engram_gate = EngramGate,
  };
  return kernels;
}

}  // namespace cedar::simd::reference
