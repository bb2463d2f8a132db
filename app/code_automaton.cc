#include "app/code_automaton.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

// Where something changes: the first code points of all ranges, and those behind them.
std::vector<char32_t> BoundsOf(const std::vector<CodeSet>& sets) {
  std::vector<char32_t> bounds;
  for (const CodeSet& set : sets) {
    for (const CodeSet::Range& range : set.ranges()) {
      bounds.push_back(range.first);
      bounds.push_back(range.last + 1);
    }
  }
  std::sort(bounds.begin(), bounds.end());
  bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
  return bounds;
}

}  // namespace

CodeClasses::CodeClasses(const std::vector<CodeSet>& sets) {
  const std::vector<char32_t> bounds = BoundsOf(sets);
  // For each range between bounds, the sets that hold it.
  std::vector<std::vector<uint32_t>> members(bounds.size());
  for (uint32_t i = 0; i < sets.size(); ++i) {
    for (const CodeSet::Range& range : sets[i].ranges()) {
      auto at = std::lower_bound(bounds.begin(), bounds.end(), range.first);
      for (; *at <= range.last; ++at) {
        members[static_cast<size_t>(at - bounds.begin())].push_back(i);
      }
    }
  }
  std::map<std::vector<uint32_t>, uint32_t> known;
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (members[i].empty()) continue;
    const uint32_t which =
        known.try_emplace(members[i], static_cast<uint32_t>(known.size())).first->second;
    ranges_.push_back({bounds[i], bounds[i + 1] - 1, which});
  }
  count_ = known.size();
}

CodeClasses::CodeClasses(const CodeClasses& a, const CodeClasses& b, std::vector<Pair>& pairs) {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
  for (size_t i = 0, j = 0; i < a.ranges_.size() && j < b.ranges_.size();) {
    const Range &x = a.ranges_[i], &y = b.ranges_[j];
    const char32_t first = std::max(x.first, y.first), last = std::min(x.last, y.last);
    if (first <= last) {
      const auto [at, is_new] =
          known.try_emplace({x.which, y.which}, static_cast<uint32_t>(known.size()));
      if (is_new) pairs.push_back({x.which, y.which});
      ranges_.push_back({first, last, at->second});
    }
    x.last < y.last ? ++i : ++j;
  }
  count_ = known.size();
}

size_t CodeClasses::Find(char32_t code) const {
  const auto range =
      std::lower_bound(ranges_.begin(), ranges_.end(), code,
                       [](const Range& one, char32_t sought) { return one.last < sought; });
  return static_cast<size_t>(range - ranges_.begin());
}

uint32_t CodeClasses::Of(char32_t code) const {
  const size_t at = Find(code);
  return at < ranges_.size() && ranges_[at].first <= code ? ranges_[at].which : kNone;
}

CodeAutomaton CodeAutomaton::OfAtLeast(uint64_t least) {
  CodeAutomaton out(CodeClasses({CodeSet::All()}));
  for (uint64_t length = 0; length <= least; ++length) {
    const State state = out.Add(length == least);
    if (length > 0) out.Set(state - 1, 0, state);
  }
  const State last = static_cast<State>(least);
  out.Set(last, 0, last);
  return out;
}

CodeAutomaton CodeAutomaton::OfText(const std::u32string& text) {
  std::vector<CodeSet> sets = {CodeSet::All()};
  for (const char32_t code : text) sets.push_back(CodeSet({{code, code}}));
  CodeAutomaton out((CodeClasses(sets)));
  for (size_t i = 0; i <= text.size(); ++i) {
    const State state = out.Add(i == text.size());
    if (i > 0) out.Set(state - 1, out.classes_.Of(text[i - 1]), state);
  }
  return out;
}

CodeAutomaton::State CodeAutomaton::Add(bool accepts) {
  if (states() >= kMostStates || next_.size() >= kMostArcs) {
    throw Error(ErrorKind::kInput, "its automaton takes more than " + std::to_string(kMostStates) +
                                       " states or " + std::to_string(kMostArcs) + " arcs");
  }
  next_.resize(next_.size() + classes_.count(), kDead);
  accepts_.push_back(accepts);
  return static_cast<State>(states() - 1);
}

CodeAutomaton::State CodeAutomaton::Step(State from, char32_t code) const {
  const uint32_t which = classes_.Of(code);
  return which == CodeClasses::kNone ? kDead : Next(from, which);
}

bool CodeAutomaton::Matches(const std::u32string& text) const {
  if (states() == 0) return false;
  State state = kStart;
  for (const char32_t code : text) {
    state = Step(state, code);
    if (state == kDead) return false;
  }
  return Accepts(state);
}

CodeAutomaton CodeAutomaton::And(const CodeAutomaton& other) const {
  std::vector<CodeClasses::Pair> pairs;
  CodeAutomaton out(CodeClasses(classes_, other.classes_, pairs));
  if (states() == 0 || other.states() == 0) return out;
  std::unordered_map<uint64_t, State> known;
  std::vector<std::pair<State, State>> met;
  const auto intern = [&](State a, State b) {
    const auto [at, is_new] = known.try_emplace(uint64_t{a} << 32 | b, 0);
    if (is_new) {
      at->second = out.Add(Accepts(a) && other.Accepts(b));
      met.emplace_back(a, b);
    }
    return at->second;
  };
  intern(kStart, kStart);
  for (State state = 0; state < met.size(); ++state) {
    const auto [a, b] = met[state];
    for (uint32_t which = 0; which < pairs.size(); ++which) {
      const State x = Next(a, pairs[which].a), y = other.Next(b, pairs[which].b);
      if (x != kDead && y != kDead) out.Set(state, which, intern(x, y));
    }
  }
  return out.Trimmed();
}

CodeAutomaton CodeAutomaton::Not() const {
  // Code points without a class need one here.
  std::vector<CodeSet> sets(classes_.count());
  std::vector<std::vector<CodeSet::Range>> ranges(classes_.count());
  for (const CodeClasses::Range& range : classes_.ranges()) {
    ranges[range.which].push_back({range.first, range.last});
  }
  for (size_t i = 0; i < sets.size(); ++i) sets[i] = CodeSet(ranges[i]);
  sets.push_back(CodeSet::All());
  CodeAutomaton out((CodeClasses(sets)));
  // Classes here to those of this one.
  std::vector<uint32_t> old(out.classes_.count(), CodeClasses::kNone);
  for (const CodeClasses::Range& range : out.classes_.ranges()) {
    old[range.which] = classes_.Of(range.first);
  }
  for (State state = 0; state < states(); ++state) out.Add(!Accepts(state));
  const State other = out.Add(true);  // no text of this one begins so
  for (State state = 0; state <= other; ++state) {
    for (uint32_t which = 0; which < old.size(); ++which) {
      const bool lives = state != other && old[which] != CodeClasses::kNone;
      const State next = lives ? Next(state, old[which]) : kDead;
      out.Set(state, which, next == kDead ? other : next);
    }
  }
  return out.Trimmed();
}

std::vector<std::vector<CodeAutomaton::State>> CodeAutomaton::Predecessors() const {
  std::vector<std::vector<State>> before(states());
  for (State state = 0; state < states(); ++state) {
    for (uint32_t which = 0; which < classes_.count(); ++which) {
      const State next = Next(state, which);
      if (next != kDead && (before[next].empty() || before[next].back() != state)) {
        before[next].push_back(state);
      }
    }
  }
  return before;
}

std::vector<uint32_t> CodeAutomaton::Distances() const {
  const std::vector<std::vector<State>> before = Predecessors();
  std::vector<uint32_t> distances(states(), ~uint32_t{0});
  std::vector<State> near;
  for (State state = 0; state < states(); ++state) {
    if (!Accepts(state)) continue;
    distances[state] = 0;
    near.push_back(state);
  }
  for (uint32_t distance = 1; !near.empty(); ++distance) {
    std::vector<State> far;
    for (const State state : near) {
      for (const State from : before[state]) {
        if (distances[from] <= distance) continue;
        distances[from] = distance;
        far.push_back(from);
      }
    }
    near = std::move(far);
  }
  return distances;
}

CodeAutomaton CodeAutomaton::Trimmed() const {
  const std::vector<std::vector<State>> before = Predecessors();
  std::vector<bool> lives = accepts_;
  std::vector<State> open;
  for (State state = 0; state < states(); ++state) {
    if (lives[state]) open.push_back(state);
  }
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    for (const State from : before[state]) {
      if (!lives[from]) open.push_back(from);
      lives[from] = true;
    }
  }
  CodeAutomaton out(classes_);
  if (states() == 0 || !lives[kStart]) return out;
  std::vector<State> renamed(states(), kDead);
  for (State state = 0; state < states(); ++state) {
    if (lives[state]) renamed[state] = out.Add(Accepts(state));
  }
  for (State state = 0; state < states(); ++state) {
    if (!lives[state]) continue;
    for (uint32_t which = 0; which < classes_.count(); ++which) {
      const State next = Next(state, which);
      if (next != kDead) out.Set(renamed[state], which, renamed[next]);
    }
  }
  return out;
}

size_t CodeAutomaton::bytes() const {
  return next_.size() * sizeof(State) + classes_.ranges().size() * sizeof(CodeClasses::Range) +
         states() / 8;
}

}  // namespace cedar
