#include "engine/engram.h"

#include <cstring>
#include <span>
#include <vector>

#include "engine/engram_fetch.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/scratch.h"
#include "engine/sequence.h"

namespace cedar {
namespace {

// Table rows of row i of the step in the table of engram layer `engram`.
std::span<size_t> TableRows(const Forward& f, size_t i, size_t engram) {
  const EngramConfig& e = f.model.config.engram;
  return {f.scratch.engram.table_rows + (i * e.layers.size() + engram) * e.columns(), e.columns()};
}

void DecodeTableRow(const Forward& f, const EngramTable& table, size_t row, Bf16* out) {
  const size_t dim = table.head_dim;
  if (table.format == Format::kBf16) {
    std::memcpy(out, table.data + row * dim * sizeof(Bf16), dim * sizeof(Bf16));
  } else {
    f.model.kernels.decode_engram_row(table.data + row * dim,
                                      table.scales + row * (dim / kScaleBlock), dim, out);
  }
}

}  // namespace

void LookUpEngrams(const Forward& f, const Step& step) {
  const EngramConfig& e = f.model.config.engram;
  if (e.layers.empty()) return;
  FetchEngrams(f, step);
  f.model.workers.ForRanges(step.rows, 8, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      const RowRef& row = step.row_refs[i];
      const std::span<const int32_t> tokens(row.segment->sequence->tokens);
      for (size_t engram = 0; engram < e.layers.size(); ++engram) {
        f.model.engram_hash->Rows(engram, tokens.first(row.position() + 1),
                                  TableRows(f, i, engram));
      }
    }
  });
}

void AddEngram(const Forward& f, size_t layer, const Step& step) {
  const ModelConfig& c = f.model.config;
  const EngramWeights& w = *f.model.weights.layers[layer].engram;
  const EngramScratch& s = f.scratch.engram;
  const size_t engram = static_cast<size_t>(f.model.plan.layers[layer].engram);
  const size_t width = c.engram.columns() * c.engram.head_dim;
  const size_t kv_width = (c.hc + 1) * c.hidden;
  f.model.workers.ForRanges(step.rows, 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      Bf16* out = s.embedding + i * width;
      for (const size_t row : TableRows(f, i, engram)) {
        DecodeTableRow(f, w.table, row, out);
        out += c.engram.head_dim;
      }
    }
  });
  Linear(f, {s.embedding, width, step.rows, step.prompt_rows},
         {{&w.wkv, {.bf16 = s.kv, .stride = kv_width}}});
  f.model.workers.ForRanges(step.rows, 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      const RowRef& row = step.row_refs[i];
      Bf16* const streams = row.segment->streams + row.offset * c.streams_width();
      f.model.kernels.engram_gate(s.kv + i * kv_width, w.qk_weight.data(), c.hc, c.hidden,
                                  c.norm_eps, streams);
    }
  });
}

}  // namespace cedar
