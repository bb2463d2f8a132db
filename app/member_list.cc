#include "app/member_list.h"

#include <algorithm>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

using Node = Grammar::Node;

constexpr uint64_t kMostParts = 200'000;
// Where there is a limit, more others than that are not written.
constexpr uint64_t kMostFree = 1000;

class MemberWriter {
 public:
  MemberWriter(Grammar& grammar, const MemberList& list) : g_(grammar), list_(list) {
    const uint64_t all = list.listed.size();
    least_ = std::min(list.least, all + 2);  // more is as impossible
    most_ = list.most;
    if (!list.free && most_ >= all) most_ = kNoMost;
    if (most_ != kNoMost) most_ = std::min(most_, all + kMostFree);
    // Behind that many members more of them make no difference.
    counted_ = std::max<uint64_t>({1, least_, most_ == kNoMost ? 0 : most_});
    if ((all + 1) * (counted_ + 1) > kMostParts) {
      throw Error(ErrorKind::kInput, "minProperties and maxProperties beside " +
                                         std::to_string(all) + " properties take too many parts");
    }
  }

  Node Write() {
    // What may follow, by the number of members before it.
    std::vector<Node> next(counted_ + 1);
    for (uint64_t count = counted_ + 1; count > 0; --count) next[count - 1] = Rest(count - 1, next);
    for (size_t i = list_.listed.size(); i > 0; --i) {
      const MemberList::Listed& member = list_.listed[i - 1];
      std::vector<Node> here(counted_ + 1);
      // Before the i-th of them there are at most i - 1.
      for (uint64_t count = 0; count <= std::min<uint64_t>(counted_, i - 1); ++count) {
        const Node with = With(member.text, count, next);
        here[count] = member.required ? with : g_.Choice({with, next[count]});
      }
      next = std::move(here);
    }
    return next[0];
  }

 private:
  Node With(const MemberList::Text& text, uint64_t count, const std::vector<Node>& next) {
    if (count >= most_) return g_.Choice({});
    return g_.Sequence({count == 0 ? text.first : text.later, next[std::min(count + 1, counted_)]});
  }

  // What may stand behind all that are listed.
  Node Rest(uint64_t count, const std::vector<Node>& next) {
    if (count < least_) {
      const bool enough = list_.free && count + 1 == least_;
      return enough ? With(*list_.free, count, next) : g_.Choice({});
    }
    const Node empty = count == 0 ? list_.none : g_.Sequence({});
    if (!list_.free || count >= most_) return empty;
    const uint64_t left = most_ == kNoMost ? kNoMost : most_ - count;
    const auto more = [&](uint64_t most) {
      return g_.Repeat(list_.free->later, 0,
                       most == kNoMost ? GrammarNode::kNoLimit : static_cast<uint32_t>(most));
    };
    if (count > 0) return more(left);
    const Node some = g_.Sequence({list_.free->first, more(left == kNoMost ? left : left - 1)});
    return g_.Choice({some, empty});
  }

  Grammar& g_;
  const MemberList& list_;
  uint64_t least_;
  uint64_t most_;
  uint64_t counted_;
};

}  // namespace

Grammar::Node GrammarOfMembers(Grammar& grammar, const MemberList& list) {
  return MemberWriter(grammar, list).Write();
}

}  // namespace cedar
