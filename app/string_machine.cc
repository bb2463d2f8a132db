#include "app/string_machine.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace cedar {
namespace {

using Escapes = StringMachine::Escapes;

// Code points that lead to one state.
struct Segment {
  uint32_t first, last;
  CodeAutomaton::State next;
  auto operator<=>(const Segment&) const = default;
};

// Where a text stands: between two characters, behind a backslash, or inside of a character, of
// which so many bytes of UTF-8 or digits of an escape are missing.
struct Place {
  enum class Kind { kBetween, kEscape, kBytes, kDigits } kind;
  uint64_t length = 0;            // characters so far, where they are limited
  CodeAutomaton::State at = 0;    // of kBetween and kEscape
  uint32_t missing = 0;           // of kBytes and kDigits
  std::vector<Segment> segments;  // what the missing ones may say, and where that leads
  auto operator<=>(const Place&) const = default;
};

constexpr std::string_view kShort = "\"\\/bfnrt";
constexpr std::string_view kShortValues = "\"\\/\b\f\n\r\t";

// The characters that a first byte begins: where they start, how many bytes follow, and which of
// them no shorter form has.
struct Lead {
  uint32_t start, missing, first;
};

std::optional<Lead> LeadOf(uint8_t byte) {
  if (byte >= 0xC2 && byte < 0xE0) return Lead{(byte & 0x1Fu) << 6, 1, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return Lead{(byte & 0x0Fu) << 12, 2, 0x800};
  if (byte >= 0xF0 && byte < 0xF5) return Lead{(byte & 0x07u) << 18, 3, 0x10000};
  return std::nullopt;
}

std::optional<uint32_t> HexDigit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  const uint8_t lower = byte | 0x20;
  if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10u;
  return std::nullopt;
}

void Append(std::vector<Segment>& segments, const Segment& next) {
  const bool joins = !segments.empty() && segments.back().next == next.next &&
                     segments.back().last + 1 == next.first;
  if (joins) {
    segments.back().last = next.last;
  } else {
    segments.push_back(next);
  }
}

class StringRun : public MachineRun {
 public:
  // distances: as of the machine; empty where there is no limit.
  StringRun(const CodeAutomaton& automaton, std::span<const uint32_t> distances, uint64_t longest,
            Escapes escapes)
      : automaton_(automaton), distances_(distances), longest_(longest), escapes_(escapes) {
    Intern({.kind = Place::Kind::kBetween, .at = CodeAutomaton::kStart, .segments = {}});
  }

  bool Accepts(State state) const override {
    const Place& place = *places_[state];
    return place.kind == Place::Kind::kBetween && automaton_.Accepts(place.at);
  }

 protected:
  State Find(State state, uint8_t byte) override {
    const Place& place = *places_[state];  // stays where it is
    switch (place.kind) {
      case Place::Kind::kBetween:
        return Begin(place, byte);
      case Place::Kind::kEscape:
        return Escape(place, byte);
      case Place::Kind::kBytes:
        return byte >= 0x80 && byte < 0xC0 ? GoOn(place, byte & 0x3Fu, 6) : kDead;
      case Place::Kind::kDigits: {
        const auto digit = HexDigit(byte);
        return digit ? GoOn(place, *digit, 4) : kDead;
      }
    }
    return kDead;
  }

  size_t OwnBytes() const override {
    constexpr size_t kPlace = 64;  // in states_
    return places_.size() * (sizeof(Place) + kPlace) + listed_ * sizeof(Segment);
  }

 private:
  State Intern(Place place) {
    const auto [at, is_new] =
        states_.try_emplace(std::move(place), static_cast<State>(places_.size()));
    if (is_new) {
      places_.push_back(&at->first);
      listed_ += at->first.segments.size();
    }
    return at->second;
  }

  // Whether a text of so many characters, which led there, can still end within the limit.
  bool IsOpen(CodeAutomaton::State at, uint64_t length) const {
    if (at == CodeAutomaton::kDead) return false;
    return distances_.empty() || length + distances_[at] <= longest_;
  }
  uint64_t Behind(uint64_t length) const { return distances_.empty() ? 0 : length + 1; }

  // Behind one more character than `before`.
  State Between(const Place& before, CodeAutomaton::State at) {
    const uint64_t length = Behind(before.length);
    if (!IsOpen(at, length)) return kDead;
    return Intern({.kind = Place::Kind::kBetween, .length = length, .at = at, .segments = {}});
  }

  State Inside(const Place& before, Place::Kind kind, uint32_t missing,
               std::vector<Segment> segments) {
    if (segments.empty()) return kDead;
    return Intern({.kind = kind,
                   .length = before.length,
                   .missing = missing,
                   .segments = std::move(segments)});
  }

  State Begin(const Place& place, uint8_t byte) {
    if (byte < 0x80) {
      if (escapes_ == Escapes::kJson && byte == '\\') {
        if (SegmentsOf(place, 0, 0xFFFF, 0).empty()) return kDead;
        return Intern(
            {.kind = Place::Kind::kEscape, .length = place.length, .at = place.at, .segments = {}});
      }
      const bool plain = escapes_ == Escapes::kNone || (byte >= 0x20 && byte != '"');
      return plain ? Between(place, automaton_.Step(place.at, byte)) : kDead;
    }
    const auto lead = LeadOf(byte);
    if (!lead) return kDead;
    const uint32_t last = lead->start + (1u << 6 * lead->missing) - 1;
    return Inside(place, Place::Kind::kBytes, lead->missing,
                  SegmentsOf(place, std::max(lead->start, lead->first), last, lead->start));
  }

  State Escape(const Place& place, uint8_t byte) {
    if (byte == 'u') {
      return Inside(place, Place::Kind::kDigits, 4, SegmentsOf(place, 0, 0xFFFF, 0));
    }
    const size_t which = kShort.find(static_cast<char>(byte));
    if (which == kShort.npos) return kDead;
    return Between(place, automaton_.Step(place.at, static_cast<char32_t>(kShortValues[which])));
  }

  // One more of those that are missing, of so many bits.
  State GoOn(const Place& place, uint32_t value, uint32_t bits) {
    const uint32_t size = 1u << bits * (place.missing - 1);
    const uint32_t first = value * size, last = first + size - 1;
    std::vector<Segment> left;
    for (const Segment& segment : place.segments) {
      const uint32_t from = std::max(segment.first, first), to = std::min(segment.last, last);
      if (from <= to) left.push_back({from - first, to - first, segment.next});
    }
    if (place.missing > 1) return Inside(place, place.kind, place.missing - 1, std::move(left));
    return left.empty() ? kDead : Between(place, left[0].next);
  }

  // Where the code points from first to last lead; they are counted from `start`.
  std::vector<Segment> SegmentsOf(const Place& place, uint32_t first, uint32_t last,
                                  uint32_t start) const {
    std::vector<Segment> segments;
    const auto& ranges = automaton_.classes().ranges();
    for (size_t i = automaton_.classes().Find(first); i < ranges.size(); ++i) {
      if (ranges[i].first > last) break;
      const CodeAutomaton::State next = automaton_.Next(place.at, ranges[i].which);
      if (!IsOpen(next, Behind(place.length))) continue;
      Append(segments, {std::max<uint32_t>(ranges[i].first, first) - start,
                        std::min<uint32_t>(ranges[i].last, last) - start, next});
    }
    return segments;
  }

  const CodeAutomaton& automaton_;
  std::span<const uint32_t> distances_;
  uint64_t longest_;
  Escapes escapes_;
  std::map<Place, State> states_;
  std::vector<const Place*> places_;  // by state
  size_t listed_ = 0;                 // segments
};

}  // namespace

StringMachine::StringMachine(CodeAutomaton automaton, std::optional<uint64_t> longest,
                             Escapes escapes)
    : automaton_(std::move(automaton)), longest_(longest), escapes_(escapes) {
  if (longest_) distances_ = automaton_.Distances();
}

bool StringMachine::HasTexts() const {
  if (automaton_.states() == 0) return false;
  return !longest_ || distances_[CodeAutomaton::kStart] <= *longest_;
}

std::unique_ptr<MachineRun> StringMachine::NewRun() const {
  return std::make_unique<StringRun>(automaton_, distances_, longest_.value_or(0), escapes_);
}

}  // namespace cedar
