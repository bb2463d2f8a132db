#include "app/regex_automaton.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/regex_classes.h"
#include "app/regex_parser.h"
#include "app/regex_steps.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Kind = RegexNode::Kind;

// Steps that are looked at: some seconds.
constexpr size_t kMostWork = 200'000'000;

// Makes a deterministic automaton of a nondeterministic one: each of its states stands for a set of
// steps, and for what stood before it where words are asked for.
class Determiner {
 public:
  Determiner(const RegexSteps& steps, RegexMatch match)
      : steps_(steps), match_(match), out_(ClassesOf(steps)), contexts_(ContextsOf()) {}

  CodeAutomaton Run() {
    Intern({{steps_.start()}, Beside::kEdge});
    for (size_t state = 0; state < met_.size(); ++state) {
      AddArcs(static_cast<CodeAutomaton::State>(state));
    }
    return out_.Trimmed();
  }

 private:
  struct Set {
    std::vector<RegexSteps::State> states;  // ascending
    Beside before;
    auto operator<=>(const Set&) const = default;
  };

  static CodeClasses ClassesOf(const RegexSteps& steps) {
    std::vector<CodeSet> sets = steps.sets();
    if (steps.asks_for_words()) {
      sets.push_back(WordClass().sure);
      sets.push_back(WordClass().maybe);
      sets.push_back(CodeSet::All());
    }
    return CodeClasses(sets);
  }

  // What a class is beside others; which sets hold it.
  std::vector<Beside> ContextsOf() {
    std::vector<Beside> contexts(out_.classes().count(), Beside::kOther);
    held_.assign(steps_.sets().size(), std::vector<bool>(contexts.size()));
    const ClassSets words = steps_.asks_for_words() ? WordClass() : ClassSets();
    for (const CodeClasses::Range& range : out_.classes().ranges()) {
      if (words.maybe.Contains(range.first)) contexts[range.which] = Beside::kMaybeWord;
      if (words.sure.Contains(range.first)) contexts[range.which] = Beside::kWord;
      for (size_t i = 0; i < held_.size(); ++i) {
        held_[i][range.which] = steps_.sets()[i].Contains(range.first);
      }
    }
    return contexts;
  }

  CodeAutomaton::State Intern(Set set) {
    const auto [at, is_new] = known_.try_emplace(std::move(set), 0);
    if (is_new) {
      const auto reached = Reach(at->first, Beside::kEdge);
      at->second = out_.Add(!reached.empty() && steps_.Matches(reached));
      met_.push_back(&at->first);
    }
    return at->second;
  }

  std::vector<RegexSteps::State> Reach(const Set& set, Beside behind) {
    auto reached = steps_.Reach(set.states, set.before, behind);
    Work(reached.size() + set.states.size());
    return reached;
  }

  void Work(size_t steps) {
    work_ += steps;
    if (work_ > kMostWork) throw Error(ErrorKind::kInput, "it takes too long to compile");
  }

  void AddArcs(CodeAutomaton::State from) {
    const Set& set = *met_[from];
    std::array<std::optional<std::vector<RegexSteps::State>>, 4> reached;  // by context
    for (uint32_t which = 0; which < contexts_.size(); ++which) {
      auto& states = reached[static_cast<size_t>(contexts_[which])];
      if (!states) states = Reach(set, contexts_[which]);
      Set next = Behind(*states, which);
      if (!next.states.empty()) out_.Set(from, which, Intern(std::move(next)));
    }
  }

  Set Behind(const std::vector<RegexSteps::State>& reached, uint32_t which) {
    Work(reached.size());
    Set next{{}, steps_.asks_for_words() ? contexts_[which] : Beside::kOther};
    for (const RegexSteps::State state : reached) {
      const uint32_t set = steps_.SetOf(state);
      if (set != RegexSteps::kNone && held_[set][which]) next.states.push_back(steps_.Next(state));
    }
    std::sort(next.states.begin(), next.states.end());
    next.states.erase(std::unique(next.states.begin(), next.states.end()), next.states.end());
    // Where any text may follow, nothing else matters.
    if (match_ == RegexMatch::kAnywhere &&
        std::binary_search(next.states.begin(), next.states.end(), steps_.tail())) {
      next = {{steps_.tail()}, Beside::kOther};
    }
    return next;
  }

  const RegexSteps& steps_;
  RegexMatch match_;
  CodeAutomaton out_;
  std::vector<std::vector<bool>> held_;  // by set and class
  std::vector<Beside> contexts_;         // by class
  std::map<Set, CodeAutomaton::State> known_;
  std::vector<const Set*> met_;  // by state
  size_t work_ = 0;
};

CodeAutomaton Determined(const RegexNode& node, RegexMatch match, RegexDialects dialects) {
  const RegexSteps steps(node, match, dialects);
  return Determiner(steps, match).Run();
}

RegexDialects Opposite(RegexDialects dialects) {
  return dialects == RegexDialects::kAll ? RegexDialects::kAny : RegexDialects::kAll;
}

// The conditions that look ahead from the beginning of the text, taken out of the node. Without ^
// others than those of the beginning would do as well: `narrower` leaves them out.
std::vector<RegexNode> TakeLookAhead(RegexNode& node, bool narrower) {
  std::vector<RegexNode> out;
  if (node.kind != Kind::kSequence) return out;
  bool begins = narrower;
  auto at = node.parts.begin();
  while (at != node.parts.end() && (at->kind == Kind::kBegin || at->kind == Kind::kLookAhead)) {
    if (at->kind == Kind::kBegin) {
      begins = true;
      ++at;
    } else {
      out.push_back(std::move(*at));
      at = node.parts.erase(at);
    }
  }
  if (out.empty()) return out;
  if (!begins) throw Error(ErrorKind::kInput, "look-ahead without ^ is not supported here");
  node.parts.insert(node.parts.begin(), {.kind = Kind::kBegin});
  return out;
}

}  // namespace

CodeAutomaton AutomatonOfRegex(std::string_view regex, RegexMatch match, RegexDialects dialects) {
  RegexNode node = ParseRegex(regex);
  const bool narrower = match == RegexMatch::kWhole || dialects == RegexDialects::kAll;
  std::vector<RegexNode> conditions = TakeLookAhead(node, narrower);
  CodeAutomaton all = Determined(node, match, dialects);
  for (RegexNode& condition : conditions) {
    RegexNode from_start{.kind = Kind::kSequence};
    from_start.parts = {{.kind = Kind::kBegin}, std::move(condition.parts[0])};
    const RegexDialects its = condition.negative ? Opposite(dialects) : dialects;
    const CodeAutomaton other = Determined(from_start, RegexMatch::kAnywhere, its);
    all = all.And(condition.negative ? other.Not() : other);
  }
  return all;
}

}  // namespace cedar
