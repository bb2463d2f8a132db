#include "engine/indexer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"
#include "engine/sequence.h"

namespace cedar {
namespace {

// Compressed rows that one thread scores at a time when there are few queries.
constexpr size_t kScoresAtATime = 1024;
// Candidate rows in one call: enough for unpacking the queries not to count.
constexpr size_t kScatteredAtATime = 256;

// scratch.indexer.{queries, weights} of every row.
void MakeQueries(const Forward& f, const IndexerWeights& w, const Step& step) {
  const ModelConfig& c = f.model.config;
  const IndexerScratch& s = f.scratch.indexer;
  const AngleScratch& angles = f.scratch.global_angles;
  const size_t width = c.index_heads * c.index_head_dim, pairs = c.rope_dim / 2;
  const size_t query_bytes = IndexKeyBytes(c.index_head_dim);
  Linear(f, {f.scratch.attention.q_latent, c.q_rank, step.rows, step.prompt_rows},
         {{&w.wq_b, {.bf16 = s.q, .stride = width}}});
  Linear(f, {f.scratch.x, c.hidden, step.rows, step.prompt_rows},
         {{&w.weights_proj, {.bf16 = s.projected, .stride = c.index_heads}}});
  const float scale = static_cast<float>(std::pow(static_cast<double>(c.index_head_dim), -0.5) *
                                         std::pow(static_cast<double>(c.index_heads), -0.5));
  f.model.workers.ForRanges(step.rows, 1, [&](Range rows, int) {
    for (size_t i = rows.begin; i < rows.end; ++i) {
      f.model.kernels.rope(s.q + i * width, c.index_heads, c.index_head_dim, c.rope_dim,
                           angles.cos + i * pairs, angles.sin + i * pairs, false);
      for (size_t h = i * c.index_heads; h < (i + 1) * c.index_heads; ++h) {
        f.model.kernels.store_index_key(s.q + h * c.index_head_dim, c.index_head_dim,
                                        s.queries + h * query_bytes);
        s.weights[h] = ToFloat(s.projected[h]) * scale;
      }
    }
  });
}

// One query: row `i` of the step, the rows it sees, and where its results go.
struct Query {
  size_t i;
  const CompressedKv* kv;
  size_t visible;
  size_t place;  // in the Selections
};

// Writes the score of each row of the range at the row's own index.
void ScoreRows(const Forward& f, const Query& query, Range rows, float* scores) {
  const ModelConfig& c = f.model.config;
  const IndexerScratch& s = f.scratch.indexer;
  const size_t head = query.i * c.index_heads, page_rows = query.kv->layout.rows;
  const uint8_t* const queries = s.queries + head * IndexKeyBytes(c.index_head_dim);
  while (rows.begin < rows.end) {  // page by page
    const size_t first = rows.begin / page_rows * page_rows;
    const Range part{rows.begin - first, std::min(rows.end - first, page_rows)};
    f.model.kernels.index_scores(queries, s.weights + head, c.index_heads, c.index_head_dim,
                                 query.kv->Key(first), part, scores + first);
    rows.begin = first + part.end;
  }
}

// Level one: the best blocks by their best score; that of the newest row is always in.
void MarkCandidates(const Forward& f, const Query& query, const float* scores, float* maxima) {
  const CandidateConfig& candidates = *f.model.config.candidates;
  IndexLists& blocks = f.scratch.selections.blocks;
  size_t count = 0;
  if (query.visible > 0) {
    const size_t n = (query.visible - 1) / candidates.block_rows + 1;
    f.model.kernels.block_max(scores, query.visible, candidates.block_rows, maxima);
    maxima[n - 1] = std::numeric_limits<float>::infinity();
    count = f.model.kernels.top_k(maxima, n, candidates.blocks, blocks.Data(query.place));
  }
  blocks.SetCount(query.place, count);
}

// Level two: the best rows of all that are visible.
void SelectFromAll(const Forward& f, size_t layer, const Query& query, const float* scores,
                   const WorkerScratch& mine) {
  IndexLists& rows = f.scratch.selections.rows;
  if (f.model.plan.layers[layer].is_candidate_source) {
    MarkCandidates(f, query, scores, mine.maxima);
  }
  rows.SetCount(query.place, f.model.kernels.top_k(scores, query.visible, rows.capacity(),
                                                   rows.Data(query.place)));
}

// Scores of the candidate blocks' rows, one after the other; returns how many.
size_t ScoreCandidates(const Forward& f, const Query& query, std::span<const int32_t> blocks,
                       float* scores) {
  const ModelConfig& c = f.model.config;
  const IndexerScratch& s = f.scratch.indexer;
  const size_t head = query.i * c.index_heads, block_rows = c.candidates->block_rows;
  std::array<const uint8_t*, kScatteredAtATime> keys;
  size_t pending = 0, scored = 0;
  const auto score = [&] {
    f.model.kernels.scattered_index_scores(s.queries + head * IndexKeyBytes(c.index_head_dim),
                                           s.weights + head, c.index_heads, c.index_head_dim,
                                           {keys.data(), pending}, scores + scored);
    scored += pending;
    pending = 0;
  };
  for (const int32_t block : blocks) {
    const size_t first = static_cast<size_t>(block) * block_rows;
    for (size_t row = first; row < std::min(first + block_rows, query.visible); ++row) {
      keys[pending++] = query.kv->Key(row);
      if (pending == keys.size()) score();
    }
  }
  score();
  return scored;
}

// Level two inside the candidate blocks: only their rows are scored.
void SelectFromCandidates(const Forward& f, const Query& query, const WorkerScratch& mine) {
  const size_t block_rows = f.model.config.candidates->block_rows;
  const std::span<const int32_t> blocks = f.scratch.selections.blocks[query.place];
  const size_t count = ScoreCandidates(f, query, blocks, mine.candidate_scores);
  IndexLists& selected = f.scratch.selections.rows;
  int32_t* const out = selected.Data(query.place);
  const size_t kept = f.model.kernels.top_k(mine.candidate_scores, count, selected.capacity(), out);
  // All blocks but the last are whole, so an index among the candidates tells block and row.
  for (size_t i = 0; i < kept; ++i) {
    const size_t at = static_cast<size_t>(out[i]);
    out[i] = static_cast<int32_t>(static_cast<size_t>(blocks[at / block_rows]) * block_rows +
                                  at % block_rows);
  }
  selected.SetCount(query.place, kept);
}

void SelectOne(const Forward& f, size_t layer, const Query& query, const WorkerScratch& mine) {
  if (f.model.plan.layers[layer].uses_candidates) {
    SelectFromCandidates(f, query, mine);
  } else {
    ScoreRows(f, query, {0, query.visible}, mine.scores);
    SelectFromAll(f, layer, query, mine.scores, mine);
  }
}

// All threads score rows for one query.
void SelectTogether(const Forward& f, size_t layer, const Query& query) {
  const WorkerScratch& first = f.scratch.worker(0);
  if (f.model.plan.layers[layer].uses_candidates) {
    SelectFromCandidates(f, query, first);
    return;
  }
  f.model.workers.ForRanges(query.visible, kScoresAtATime,
                            [&](Range rows, int) { ScoreRows(f, query, rows, first.scores); });
  SelectFromAll(f, layer, query, first.scores, first);
}

std::vector<Query> QueriesOf(const Forward& f, size_t layer, const Step& step) {
  const size_t source = static_cast<size_t>(f.model.plan.layers[layer].kv_source);
  std::vector<Query> queries;
  for (const RowRef& row : RowsOf(step)) {
    const CompressedKv& kv = row.segment->sequence->compressed[source];
    queries.push_back(
        {queries.size(), &kv, kv.Visible(row.position()), row.segment->selection + row.offset});
  }
  return queries;
}

void ShowSelections(const Forward& f, size_t layer, const Step& step) {
  if (f.observer == nullptr) return;
  for (const RowRef& row : RowsOf(step)) {
    f.observer->OnSelection(layer, row.position(),
                            f.scratch.selections.rows[row.segment->selection + row.offset]);
  }
}

}  // namespace

void Select(const Forward& f, size_t layer, const Step& step) {
  MakeQueries(f, *f.model.weights.layers[layer].attn.indexer, step);
  const std::vector<Query> queries = QueriesOf(f, layer, step);
  if (queries.size() < static_cast<size_t>(f.model.workers.threads())) {
    for (const Query& query : queries) SelectTogether(f, layer, query);
  } else {
    f.model.workers.ForRanges(queries.size(), 1, [&](Range range, int worker) {
      for (size_t i = range.begin; i < range.end; ++i) {
        SelectOne(f, layer, queries[i], f.scratch.worker(worker));
      }
    });
  }
  ShowSelections(f, layer, step);
}

}  // namespace cedar
