#include "engine/batch_step.h"

#include <algorithm>

#include "engine/block.h"
#include "engine/engram_fetch.h"
#include "engine/model.h"
#include "engine/prefill.h"
#include "engine/scratch.h"
#include "simd/error.h"
#include "simd/matrix.h"

namespace cedar {
namespace {

Segment InScratch(const Forward& f, const Step& step, Sequence* sequence, size_t position,
                  size_t count, RowKind kind) {
  return {.sequence = sequence,
          .position = position,
          .count = count,
          .kind = kind,
          .streams = f.scratch.chunk.streams + step.rows * f.model.config.streams_width(),
          .pre = f.scratch.chunk.pre + step.rows * f.model.config.hc,
          .selection = step.rows};
}

// Chunks that stop at the decoder come first, so that they are a step of their own for its KV.
void AddChunks(const Forward& f, const BatchStep& batch, bool every_layer, Step& step) {
  for (const PromptChunk& chunk : batch.chunks) {
    if (chunk.count == 0 || chunk.every_layer != every_layer) continue;
    step.Add(InScratch(f, step, chunk.sequence, chunk.position, chunk.count, RowKind::kPrompt));
  }
}

void AddGenerated(const Forward& f, const BatchStep& batch, Step& step) {
  for (const GeneratedRun& run : batch.generated) {
    step.Add(InScratch(f, step, run.sequence, run.position, run.count, RowKind::kGenerated));
  }
}

// The decoder half's view of a segment whose streams already lie in the scratch.
void Carry(const Segment& segment, Step& step) {
  Segment carried = segment;
  carried.selection = step.rows;
  step.Add(carried);
}

// Runs the layers, and meanwhile asks for the Engram rows of what comes after, as far as the
// prefetcher has room each time.
void RunHalf(const Forward& f, const BatchStep& batch, Range layers, const Step& step) {
  for (size_t layer = layers.begin; layer < layers.end; ++layer) {
    FetchNextEngrams(f, step);
    for (const ComingTokens& run : batch.coming) FetchPromptEngrams(f, run.tokens, *run.asked);
    if (step.rows > 0) Block(f, layer, step);
  }
}

}  // namespace

size_t BatchStep::EncoderRows() const {
  size_t rows = 0;
  for (const PromptChunk& chunk : chunks) rows += chunk.count;
  for (const GeneratedRun& run : generated) rows += run.count;
  return rows;
}

size_t BatchStep::DecoderRows(size_t window) const {
  size_t rows = 0;
  for (const PromptChunk& chunk : chunks) {
    if (chunk.every_layer) {
      rows += chunk.count;
    } else if (chunk.last) {
      rows += std::min(window, chunk.position + chunk.count);
    }
  }
  for (const GeneratedRun& run : generated) rows += run.count;
  return rows;
}

Step RunBatchStep(const Forward& f, const BatchStep& batch) {
  const size_t middle = static_cast<size_t>(f.model.plan.first_decoder_layer);
  Step encoder;
  AddChunks(f, batch, /*every_layer=*/false, encoder);
  const Step for_decoder = encoder;
  AddChunks(f, batch, /*every_layer=*/true, encoder);
  AddGenerated(f, batch, encoder);
  CEDAR_CHECK(encoder.rows <= f.scratch.rows);
  if (encoder.rows > 0) EmbedStep(f, encoder);
  RunHalf(f, batch, {0, middle}, encoder);
  PendForDecoder(f, for_decoder);

  Step decoder;
  for (const PromptChunk& chunk : batch.chunks) {
    if (chunk.last && !chunk.every_layer) AddReplay(f, *chunk.sequence, decoder);
  }
  for (size_t i = for_decoder.segments.size(); i < encoder.segments.size(); ++i) {
    Carry(encoder.segments[i], decoder);
  }
  CEDAR_CHECK(decoder.rows <= f.scratch.rows);
  if (decoder.rows > 0) {
    BeginStep(f, decoder);
    RunHalf(f, batch, {middle, f.model.plan.layers.size()}, decoder);
  }
  return decoder;
}

}  // namespace cedar
