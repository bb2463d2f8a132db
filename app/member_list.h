#ifndef CEDAR_APP_MEMBER_LIST_H_
#define CEDAR_APP_MEMBER_LIST_H_

// The members of an object, or the arguments of a call, as grammar: those that are listed in their
// order, then others.

#include <cstdint>
#include <functional>
#include <vector>

#include "app/grammar.h"
#include "app/schema_shape.h"

namespace cedar {

struct MemberList {
  // A member in two forms: the first of all, and behind another.
  struct Text {
    Grammar::Node first, later;
  };
  struct Listed {
    Text text;
    bool required;
  };

  std::vector<Listed> listed = {};
  std::optional<Text> free = {};  // any one of the others
  uint64_t least = 0;
  uint64_t most = kNoMost;
  Grammar::Node none = nullptr;  // what stands there without any
};

// Of others no two are held to be different, so that only one of them counts towards `least`. No
// text ends it if that is too few. Throws Error (kInput) if counting takes too many parts.
Grammar::Node GrammarOfMembers(Grammar& grammar, const MemberList& list);

}  // namespace cedar

#endif  // CEDAR_APP_MEMBER_LIST_H_
