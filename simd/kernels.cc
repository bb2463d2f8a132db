#include "simd/kernels.h"

#include <vector>

#include "simd/error.h"
#include "simd/fill.h"
#include "simd/isa_target.h"
#include "simd/matmul_onednn.h"
#include "simd/reference/table.h"

namespace cedar::simd {

namespace {

Kernels MakeKernels(Isa isa) {
  const int64_t target = HighwayTarget(isa);
  if (target == 0) return reference::Table();
  Kernels kernels = {};
  kernels.isa = isa;
  FillAttend(target, &kernels);
  FillBlockMax(target, &kernels);
  FillEngramRows(target, &kernels);
  FillIndexScore(target, &kernels);
  FillMatMul(target, &kernels);
  FillMatMulInt8(target, &kernels);
  FillMatMulTiles(target, &kernels);
  FillMixDots(target, &kernels);
  FillMoeRows(target, &kernels);
  FillRowStores(target, &kernels);
  FillRows(target, &kernels);
  FillStreams(target, &kernels);
  FillTopK(target, &kernels);
  if (OneDnnIsChosen()) kernels.prompt = OneDnnMatMul(isa).value_or(kernels.prompt);
  return kernels;
}

}  // namespace

const Kernels& KernelsFor(Isa isa) {
  CEDAR_CHECK(isa == Isa::kReference || HighwayTarget(isa) != 0);
  static const std::vector<Kernels> tables = [] {
    std::vector<Kernels> all;
    for (Isa each : AllIsas()) all.push_back(MakeKernels(each));
    return all;
  }();
  return tables[static_cast<size_t>(isa)];
}

}  // namespace cedar::simd
