#include "engine/engram_fetch.h"

#include <algorithm>
#include <vector>

#include "engine/model.h"
#include "engine/scratch.h"
#include "engine/sequence.h"
#include "weights/prefetcher.h"

namespace cedar {
namespace {

using Places = std::vector<std::span<const uint8_t>>;

// A sequence from its beginning, or at least from max_ngram - 1 tokens before its last one, whose
// rows are wanted.
using History = std::span<const int32_t>;

// Places of one table that are absent, once each: n-grams come again.
Places AbsentOf(const Forward& f, size_t engram, std::span<const History> histories) {
  const ModelConfig& c = f.model.config;
  const size_t layer = static_cast<size_t>(c.engram.layers[engram]);
  const EngramTable& table = f.model.weights.layers[layer].engram->table;
  std::vector<Places> found(f.scratch.workers.size());
  f.model.workers.ForRanges(histories.size(), 1, [&](Range range, int worker) {
    std::vector<size_t> rows(c.engram.columns());
    for (const History& history : histories.subspan(range.begin, range.size())) {
      f.model.engram_hash->Rows(engram, history, rows);
      table.AddAbsent(rows, found[static_cast<size_t>(worker)]);
    }
  });
  Places absent;
  for (const Places& places : found) absent.insert(absent.end(), places.begin(), places.end());
  std::ranges::sort(absent, {}, [](const auto& place) { return place.data(); });
  const auto again =
      std::ranges::unique(absent, {}, [](const auto& place) { return place.data(); });
  absent.erase(again.begin(), again.end());
  return absent;
}

// Asks for the rows of the lowest layer before the others. Returns how many were absent.
size_t FetchAbsent(const Forward& f, std::span<const History> histories) {
  size_t sum = 0;
  for (size_t engram = 0; engram < f.model.config.engram.layers.size(); ++engram) {
    const Places absent = AbsentOf(f, engram, histories);
    if (!absent.empty()) f.scratch.prefetcher->Fetch(absent);
    sum += absent.size();
  }
  return sum;
}

void Fetch(const Forward& f, std::span<const History> histories) {
  CachedTables& tables = f.scratch.cached_tables;
  std::vector<History> asked, others;
  for (const History& history : histories) (tables.Asks() ? asked : others).push_back(history);
  if (asked.empty()) return;
  const size_t absent = FetchAbsent(f, asked);
  tables.Note(asked.size(), absent);
  if (absent > 0 && !others.empty()) FetchAbsent(f, others);
}

// Those of tokens [first, tokens.size()) of a sequence.
void Fetch(const Forward& f, std::span<const int32_t> tokens, size_t first) {
  std::vector<History> histories;
  for (size_t i = first; i < tokens.size(); ++i) histories.push_back(tokens.first(i + 1));
  Fetch(f, histories);
}

// How many tokens the prefetcher has room for, should all their rows be absent.
size_t Room(const Forward& f) {
  const EngramConfig& e = f.model.config.engram;
  constexpr size_t kPlaces = 2;  // of a row: its data and its scales
  return f.scratch.prefetcher->room() / (kPlaces * e.columns() * e.layers.size());
}

// Whether there are tables, and these not inside the program.
bool MayBeAbsent(const Forward& f) {
  for (const LayerWeights& layer : f.model.weights.layers) {
    if (layer.engram && layer.engram->table.residency != Residency::kAlways) return true;
  }
  return false;
}

}  // namespace

void FetchEngrams(const Forward& f, const Step& step) {
  if (!MayBeAbsent(f)) return;
  for (const Segment& segment : step.segments) {
    Sequence& sequence = *segment.sequence;
    const size_t end = segment.position + segment.count;
    Fetch(f, std::span<const int32_t>(sequence.tokens).first(end),
          std::max(segment.position, sequence.engrams_asked));
    sequence.engrams_asked = std::max(end, sequence.engrams_asked);
  }
}

void FetchNextEngrams(const Forward& f, const Step& step) {
  if (!MayBeAbsent(f)) return;
  size_t left = f.scratch.rows;  // what the next step can take
  for (const Segment& segment : step.segments) {
    Sequence& sequence = *segment.sequence;
    const size_t begin = segment.position + segment.count;
    const size_t end = std::min(sequence.tokens.size(), begin + left);
    left -= end - begin;
    sequence.engrams_asked = std::max(begin, sequence.engrams_asked);
    FetchPromptEngrams(f, std::span<const int32_t>(sequence.tokens).first(end),
                       sequence.engrams_asked);
  }
}

void FetchPromptEngrams(const Forward& f, std::span<const int32_t> tokens, size_t& asked) {
  if (!MayBeAbsent(f) || asked >= tokens.size()) return;
  const size_t end = std::min(tokens.size(), asked + Room(f));
  Fetch(f, tokens.first(end), asked);
  asked = end;
}

void FetchDrawnEngrams(const Forward& f, std::span<const DrawnToken> drawn) {
  if (!MayBeAbsent(f)) return;
  std::vector<std::vector<int32_t>> tails;
  for (const DrawnToken& next : drawn) {
    const std::vector<int32_t>& tokens = next.sequence->tokens;
    const size_t before = std::min(tokens.size(), f.model.config.engram.max_ngram - 1);
    tails.emplace_back(tokens.end() - static_cast<long>(before), tokens.end());
    tails.back().push_back(next.token);
    next.sequence->engrams_asked = tokens.size() + 1;
  }
  Fetch(f, std::vector<History>(tails.begin(), tails.end()));
}

}  // namespace cedar
