#include "engine/scratch.h"

#include <algorithm>
#include <array>

#include "engine/packed_bytes.h"
#include "engine/replay.h"

namespace cedar {
namespace {

// The widths of all matrices that a step multiplies with.
std::array<size_t, 7> Widths(const ModelConfig& config) {
  return {config.hidden,
          config.q_rank,
          config.o_group_width(),
          config.o_groups * config.o_rank,
          config.head_dim,
          config.moe_hidden,
          config.engram.columns() * config.engram.head_dim};
}

// The largest of what `bytes` says of each format and width that the kernels may meet.
template <typename F>
size_t LargestOf(const ModelConfig& config, F bytes) {
  size_t largest = 0;
  for (const Format format : kAllFormats) {
    for (const size_t width : Widths(config)) {
      if (width > 0) largest = std::max(largest, bytes(format, width));
    }
  }
  return largest;
}

size_t KernelScratch(const ModelConfig& config, const simd::Kernels& k) {
  const size_t product = LargestOf(config, [&](Format format, size_t width) {
    return std::max({k.prompt.scratch_bytes(format, width),
                     k.generated.scratch_bytes(format, width),
                     format == Format::kFp4 ? k.integer.scratch_bytes(format, width) : 0});
  });
  const size_t attend =
      k.attend_scratch_bytes(config.window + config.index_topk, config.heads, config.head_dim);
  return std::max(product, attend);
}

AngleScratch LayOutAngles(const ModelConfig& config, size_t rows, Arena& arena) {
  const size_t values = rows * config.rope_dim / 2;
  return {arena.Take<float>(values), arena.Take<float>(values)};
}

// Rows inside the candidate blocks of one token, at most.
size_t CandidateRows(const ModelConfig& config) {
  return config.candidates ? config.candidates->blocks * config.candidates->block_rows : 0;
}

}  // namespace

size_t ScoredTogether(const ModelConfig& config) {
  constexpr size_t kRows = 4096;
  if (!config.candidates) return kRows;
  const size_t block = config.candidates->block_rows;
  return std::max<size_t>(1, kRows / block) * block;
}

void Scratch::LayOutSublayers(const ModelConfig& config, Arena& arena) {
  chunk = {arena.Take<Bf16>(rows * config.streams_width()), arena.Take<float>(rows * config.hc)};
  x = arena.Take<Bf16>(rows * config.hidden);
  y = arena.Take<Bf16>(rows * config.hidden);
  mix = {arena.Take<double>(rows * config.mixes()), arena.Take<float>(rows * config.hc),
         arena.Take<float>(rows * config.hc), arena.Take<float>(rows * config.hc * config.hc)};
  local_angles = LayOutAngles(config, rows, arena);
  global_angles = LayOutAngles(config, rows, arena);
  attention = {arena.Take<Bf16>(rows * config.q_rank),
               arena.Take<Bf16>(rows * config.queries_width()),
               arena.Take<Bf16>(rows * config.head_dim),
               arena.Take<uint8_t>(rows * WindowRowBytes(config.head_dim)),
               arena.Take<Bf16>(rows * config.queries_width()),
               arena.Take<Bf16>(rows * config.o_groups * config.o_rank)};
  compressor = {arena.Take<float>(rows * config.head_dim),
                arena.Take<float>(rows * config.head_dim), arena.Take<Bf16>(rows * config.head_dim),
                arena.Take<Bf16>(rows * config.index_head_dim)};
  indexer = {arena.Take<Bf16>(rows * config.index_heads * config.index_head_dim),
             arena.Take<uint8_t>(rows * config.index_heads * IndexKeyBytes(config.index_head_dim)),
             arena.Take<Bf16>(rows * config.index_heads),
             arena.Take<float>(rows * config.index_heads)};
  const EngramConfig& e = config.engram;
  engram = {arena.Take<size_t>(rows * e.layers.size() * e.columns()),
            arena.Take<Bf16>(rows * e.columns() * e.head_dim),
            arena.Take<Bf16>(e.layers.empty() ? 0 : rows * (config.hc + 1) * config.hidden)};
  head_in = arena.Take<Bf16>(kLogitRows * config.hidden);
  logits = arena.Take<float>(kLogitRows * config.vocab);
}

void Scratch::LayOutMoe(const ModelConfig& config, const simd::Kernels& kernels, Arena& arena) {
  const size_t slots = rows * (config.experts_per_token + 1);
  moe = {arena.Take<float>(rows * config.experts),
         arena.Take<int32_t>(rows * config.experts_per_token),
         arena.Take<float>(rows * config.experts_per_token),
         arena.Take<Bf16>(slots * config.moe_hidden),
         arena.Take<Bf16>(slots * config.moe_hidden),
         arena.Take<Bf16>(slots * config.hidden)};
  packed_input_bytes = rows * PackedInputBytes(config, kernels);
  packed_input = arena.Take<uint8_t>(packed_input_bytes);
  packed_hidden_stride = LargestPackedStride(kernels, config.moe_hidden);
  packed_hidden = arena.Take<uint8_t>(slots * packed_hidden_stride);
}

void Scratch::LayOutWorkers(const ModelConfig& config, const PlanOptions& options, Arena& arena) {
  const size_t kernel_bytes = KernelScratch(config, simd::KernelsFor(options.isa));
  const size_t blocks = config.candidates ? config.candidates->blocks : 0;
  const size_t rows_together = ScoredTogether(config);
  const size_t blocks_together =
      config.candidates ? rows_together / config.candidates->block_rows : 0;
  workers.clear();
  for (int i = 0; i < options.threads; ++i) {
    workers.push_back({arena.Take<uint8_t>(kernel_bytes), arena.Take<const uint8_t*>(config.window),
                       arena.Take<const uint8_t*>(config.index_topk),
                       BestScores(config.index_topk, rows_together, arena),
                       BestScores(blocks, blocks_together, arena),
                       arena.Take<float>(CandidateRows(config))});
  }
}

void Scratch::LayOut(const ModelConfig& config, const LayerPlan& plan, const PlanOptions& options,
                     Arena& arena) {
  rows = options.chunk;
  LayOutSublayers(config, arena);
  LayOutMoe(config, simd::KernelsFor(options.isa), arena);
  LayOutWorkers(config, options, arena);
  const size_t reach = std::min(ReplayReach(config, plan, options.replay), options.context);
  const size_t places = std::max(rows, reach);
  selections.rows = IndexLists(places, config.index_topk, arena);
  selections.blocks = IndexLists(places, config.candidates ? config.candidates->blocks : 0, arena);
}

Scratch::Scratch(const ModelConfig& config, const LayerPlan& plan, const PlanOptions& options) {
  memory_ = simd::Memory(CountScratchBytes(config, plan, options), "scratch");
  prefetcher = std::make_unique<Prefetcher>();
  Arena arena(memory_.data());
  LayOut(config, plan, options, arena);
}

size_t CountScratchBytes(const ModelConfig& config, const LayerPlan& plan,
                         const PlanOptions& options) {
  Scratch counted;
  Arena arena(nullptr);
  counted.LayOut(config, plan, options, arena);
  return arena.used();
}

}  // namespace cedar
