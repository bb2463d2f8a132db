#include "app/regex_steps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

using Kind = RegexNode::Kind;

constexpr size_t kMostSteps = 200'000;

}  // namespace

RegexSteps::RegexSteps(const RegexNode& node, RegexMatch match, RegexDialects dialects)
    : dialects_(dialects) {
  Add({.kind = Step::Kind::kMatch});
  if (match == RegexMatch::kWhole) {
    start_ = Build(node, kMatch);
  } else {
    tail_ = BuildAny(kMatch);
    start_ = BuildAny(Build(node, tail_));
  }
}

RegexSteps::State RegexSteps::Add(Step step) {
  if (steps_.size() == kMostSteps) {
    throw Error(ErrorKind::kInput,
                "it takes more than " + std::to_string(kMostSteps) + " steps, repeats counted out");
  }
  steps_.push_back(std::move(step));
  return static_cast<State>(steps_.size() - 1);
}

RegexSteps::State RegexSteps::AddSet(const CodeSet& set, State next) {
  auto known = std::find(sets_.begin(), sets_.end(), set);
  if (known == sets_.end()) known = sets_.insert(known, set);
  const uint32_t index = static_cast<uint32_t>(known - sets_.begin());
  return Add({.kind = Step::Kind::kSet, .set = index, .out = {next}});
}

RegexSteps::State RegexSteps::BuildAny(State next) {
  const State loop = Add({.kind = Step::Kind::kSplit});
  const State one = AddSet(CodeSet::All(), loop);
  steps_[loop].out = {one, next};
  return loop;
}

RegexSteps::State RegexSteps::Build(const RegexNode& node, State next) {
  switch (node.kind) {
    case Kind::kSet:
      return AddSet(dialects_ == RegexDialects::kAll ? node.set.sure : node.set.maybe, next);
    case Kind::kSequence:
      for (size_t i = node.parts.size(); i > 0; --i) next = Build(node.parts[i - 1], next);
      return next;
    case Kind::kChoice: {
      std::vector<State> out;
      for (const RegexNode& part : node.parts) out.push_back(Build(part, next));
      return Add({.kind = Step::Kind::kSplit, .out = std::move(out)});
    }
    case Kind::kRepeat:
      return BuildRepeat(node, next);
    case Kind::kLookAhead:
      throw Error(ErrorKind::kInput, "look-ahead is supported only at the very beginning");
    case Kind::kBoundary:
    case Kind::kNoBoundary:
      asks_for_words_ = true;
      [[fallthrough]];
    case Kind::kBegin:
    case Kind::kEnd:
      return Add({.kind = Step::Kind::kAssert, .assertion = node.kind, .out = {next}});
  }
  return next;
}

RegexSteps::State RegexSteps::BuildRepeat(const RegexNode& node, State next) {
  const RegexNode& part = node.parts[0];
  if (node.most == RegexNode::kNoLimit) {
    const State loop = Add({.kind = Step::Kind::kSplit});
    const State again = Build(part, loop);
    steps_[loop].out = {again, next};
    next = loop;
  } else {
    // Each that may be left out leads to the end at once, so that few states are reached together.
    const State end = next;
    for (uint32_t i = node.least; i < node.most; ++i) {
      const State more = Build(part, next);
      next = Add({.kind = Step::Kind::kSplit, .out = {more, end}});
    }
  }
  for (uint32_t i = 0; i < node.least; ++i) next = Build(part, next);
  return next;
}

bool RegexSteps::Holds(Kind assertion, Beside before, Beside behind) const {
  if (assertion == Kind::kBegin) return before == Beside::kEdge;
  if (assertion == Kind::kEnd) return behind == Beside::kEdge;
  const bool boundary = assertion == Kind::kBoundary;
  const auto differs = [&](Beside least) { return (before >= least) != (behind >= least); };
  const bool in_ascii = differs(Beside::kWord) == boundary;
  const bool in_unicode = differs(Beside::kMaybeWord) == boundary;
  return dialects_ == RegexDialects::kAll ? in_ascii && in_unicode : in_ascii || in_unicode;
}

std::vector<RegexSteps::State> RegexSteps::Reach(const std::vector<State>& from, Beside before,
                                                 Beside behind) const {
  std::vector<State> reached, open = from;
  std::vector<State> passed;  // splits and assertions, ascending when searched
  const auto is_new = [&](State state) {
    const auto at = std::lower_bound(passed.begin(), passed.end(), state);
    if (at != passed.end() && *at == state) return false;
    passed.insert(at, state);
    return true;
  };
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    const Step& step = steps_[state];
    if (step.kind == Step::Kind::kMatch || step.kind == Step::Kind::kSet) {
      reached.push_back(state);
      continue;
    }
    if (step.kind == Step::Kind::kAssert && !Holds(step.assertion, before, behind)) continue;
    if (is_new(state)) open.insert(open.end(), step.out.begin(), step.out.end());
  }
  std::sort(reached.begin(), reached.end());
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  return reached;
}

}  // namespace cedar
