#include "engine/indexer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "engine/best_scores.h"
#include "engine/linear.h"
#include "engine/model.h"
#include "engine/observer.h"
#include "engine/scratch.h"
#include "engine/sequence.h"

namespace cedar {
namespace {

// Keys in one call: enough for unpacking the queries not to count.
constexpr size_t kKeysAtATime = 1024;
// Candidate blocks that one thread takes at a time when there are few queries.
constexpr size_t kBlocksAtATime = 64;

// scratch.indexer.{queries, weights} of every row.
void MakeQueries(const Forward& f, const IndexerWeights& w, const Step& step, const Bf16* x) {
  const ModelConfig& c = f.model.config;
  const IndexerScratch& s = f.scratch.indexer;
  const AngleScratch& angles = f.scratch.global_angles;
  const size_t width = c.index_heads * c.index_head_dim, pairs = c.rope_dim / 2;
  const size_t query_bytes = IndexKeyBytes(c.index_head_dim);
  const LinearTask tasks[] = {
      {{f.scratch.attention.q_latent, c.q_rank, step.rows, step.prompt_rows},
       &w.wq_b,
       {.bf16 = s.q, .stride = width}},
      {{x, c.hidden, step.rows, step.prompt_rows},
       &w.weights_proj,
       {.bf16 = s.projected, .stride = c.index_heads}}};
  Linear(f, tasks);
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

// Scores of keys that are named one by one, in their order.
class Scorer {
 public:
  Scorer(const Forward& f, const Query& query, float* scores)
      : f_(f), query_(query), scores_(scores) {}
  ~Scorer() { Score(); }
  Scorer(const Scorer&) = delete;
  Scorer& operator=(const Scorer&) = delete;

  void Add(Range rows) {
    for (size_t row = rows.begin; row < rows.end; ++row) {
      keys_[count_++] = query_.kv->Key(row);
      if (count_ == keys_.size()) Score();
    }
  }

 private:
  void Score() {
    const ModelConfig& c = f_.model.config;
    const IndexerScratch& s = f_.scratch.indexer;
    const size_t head = query_.i * c.index_heads;
    f_.model.kernels.index_scores(s.queries + head * IndexKeyBytes(c.index_head_dim),
                                  s.weights + head, c.index_heads, c.index_head_dim,
                                  {keys_.data(), count_}, scores_);
    scores_ += count_;
    count_ = 0;
  }

  const Forward& f_;
  const Query& query_;
  float* scores_;
  std::array<const uint8_t*, kKeysAtATime> keys_;
  size_t count_ = 0;
};

// Level one: the best blocks by their best score; that of the newest row is always in. scores:
// those of the range, which begins with a block.
void AddBlocks(const Forward& f, const Query& query, Range rows, const float* scores,
               BestScores& best) {
  const size_t block_rows = f.model.config.candidates->block_rows;
  const size_t count = (rows.size() + block_rows - 1) / block_rows;
  float* const maxima = best.Next();
  f.model.kernels.block_max(scores, rows.size(), block_rows, maxima);
  if (rows.end == query.visible) maxima[count - 1] = std::numeric_limits<float>::infinity();
  best.Add(f.model.kernels, rows.begin / block_rows, count);
}

// Level two: the best of the rows in the range, which begins with a block; in mine.
void SelectFrom(const Forward& f, size_t layer, const Query& query, Range rows,
                WorkerScratch& mine) {
  mine.rows.Clear();
  mine.blocks.Clear();
  const size_t together = ScoredTogether(f.model.config);
  for (size_t first = rows.begin; first < rows.end; first += together) {
    const Range part{first, std::min(rows.end, first + together)};
    float* const scores = mine.rows.Next();
    Scorer(f, query, scores).Add(part);
    if (f.model.plan.layers[layer].is_candidate_source) {
      AddBlocks(f, query, part, scores, mine.blocks);
    }
    mine.rows.Add(f.model.kernels, part.begin, part.size());
  }
}

void Store(std::span<const int32_t> indices, size_t place, IndexLists& lists) {
  std::copy(indices.begin(), indices.end(), lists.Data(place));
  lists.SetCount(place, indices.size());
}

void StoreSelection(const Forward& f, size_t layer, const Query& query,
                    const WorkerScratch& worker) {
  Store(worker.rows.indices(), query.place, f.scratch.selections.rows);
  if (f.model.plan.layers[layer].is_candidate_source) {
    Store(worker.blocks.indices(), query.place, f.scratch.selections.blocks);
  }
}

// Scores of the rows of some candidate blocks, to where they come after those of all blocks before.
void ScoreCandidates(const Forward& f, const Query& query, Range blocks, float* scores) {
  const size_t block_rows = f.model.config.candidates->block_rows;
  const std::span<const int32_t> candidates = f.scratch.selections.blocks[query.place];
  Scorer scorer(f, query, scores + blocks.begin * block_rows);
  for (size_t i = blocks.begin; i < blocks.end; ++i) {
    const size_t first = static_cast<size_t>(candidates[i]) * block_rows;
    scorer.Add({first, std::min(first + block_rows, query.visible)});
  }
}

// Level two inside the candidate blocks: only their rows are scored.
void SelectFromCandidates(const Forward& f, const Query& query, const float* scores) {
  const size_t block_rows = f.model.config.candidates->block_rows;
  const std::span<const int32_t> blocks = f.scratch.selections.blocks[query.place];
  size_t count = 0;  // all blocks but the last are whole, so an index tells block and row
  if (!blocks.empty()) {
    const size_t last = static_cast<size_t>(blocks.back()) * block_rows;
    count = (blocks.size() - 1) * block_rows + std::min(block_rows, query.visible - last);
  }
  IndexLists& selected = f.scratch.selections.rows;
  int32_t* const out = selected.Data(query.place);
  const size_t kept = f.model.kernels.top_k(scores, count, selected.capacity(), out);
  for (size_t i = 0; i < kept; ++i) {
    const size_t at = static_cast<size_t>(out[i]);
    out[i] = static_cast<int32_t>(static_cast<size_t>(blocks[at / block_rows]) * block_rows +
                                  at % block_rows);
  }
  selected.SetCount(query.place, kept);
}

void SelectOne(const Forward& f, size_t layer, const Query& query, WorkerScratch& mine) {
  if (f.model.plan.layers[layer].uses_candidates) {
    const size_t blocks = f.scratch.selections.blocks[query.place].size();
    ScoreCandidates(f, query, {0, blocks}, mine.candidate_scores);
    SelectFromCandidates(f, query, mine.candidate_scores);
  } else {
    SelectFrom(f, layer, query, {0, query.visible}, mine);
    StoreSelection(f, layer, query, mine);
  }
}

// Every thread takes a run of the rows; then the best of each run are brought together in order.
void SelectFromAllTogether(const Forward& f, size_t layer, const Query& query) {
  const simd::Kernels& k = f.model.kernels;
  const size_t block_rows = f.model.config.candidates ? f.model.config.candidates->block_rows : 1;
  const size_t threads = static_cast<size_t>(f.model.workers.threads());
  const size_t blocks = (query.visible + block_rows - 1) / block_rows;
  const size_t run = std::max<size_t>(1, (blocks + threads - 1) / threads) * block_rows;
  const size_t runs = std::max<size_t>(1, (query.visible + run - 1) / run);
  f.model.workers.ForRanges(runs, 1, [&](Range range, int) {
    for (size_t i = range.begin; i < range.end; ++i) {
      const Range rows{i * run, std::min(query.visible, (i + 1) * run)};
      SelectFrom(f, layer, query, rows, f.scratch.worker(static_cast<int>(i)));
    }
  });
  WorkerScratch& all = f.scratch.worker(0);
  for (size_t i = 1; i < runs; ++i) {
    all.rows.Add(k, f.scratch.worker(static_cast<int>(i)).rows);
    all.blocks.Add(k, f.scratch.worker(static_cast<int>(i)).blocks);
  }
  StoreSelection(f, layer, query, all);
}

// All threads score rows for one query.
void SelectTogether(const Forward& f, size_t layer, const Query& query) {
  if (!f.model.plan.layers[layer].uses_candidates) {
    SelectFromAllTogether(f, layer, query);
    return;
  }
  float* const scores = f.scratch.worker(0).candidate_scores;
  f.model.workers.ForRanges(f.scratch.selections.blocks[query.place].size(), kBlocksAtATime,
                            [&](Range blocks, int) { ScoreCandidates(f, query, blocks, scores); });
  SelectFromCandidates(f, query, scores);
}

std::vector<Query> QueriesOf(const Forward& f, size_t layer, const Step& step) {
  const size_t source = static_cast<size_t>(f.model.plan.layers[layer].kv_source);
  std::vector<Query> queries;
  for (const RowRef& row : step.row_refs) {
    const CompressedKv& kv = row.segment->sequence->compressed[source];
    queries.push_back(
        {queries.size(), &kv, kv.Visible(row.position()), row.segment->selection + row.offset});
  }
  return queries;
}

void ShowSelections(const Forward& f, size_t layer, const Step& step) {
  if (f.observer == nullptr) return;
  for (const RowRef& row : step.row_refs) {
    f.observer->OnSelection(layer, row.position(),
                            f.scratch.selections.rows[row.segment->selection + row.offset]);
  }
}

}  // namespace

void Select(const Forward& f, size_t layer, const Step& step, const Bf16* x) {
  MakeQueries(f, *f.model.weights.layers[layer].attn.indexer, step, x);
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
