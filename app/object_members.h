#ifndef CEDAR_APP_OBJECT_MEMBERS_H_
#define CEDAR_APP_OBJECT_MEMBERS_H_

// Which members an object of a rule is written with, in order: those that the schema lists, then
// others where the schema speaks of them, or lists none.

#include <cstdint>
#include <string>
#include <vector>

#include "app/schema_normaliser.h"
#include "app/schema_shape.h"

namespace cedar {

struct ObjectMembers {
  struct Listed {
    std::string name;
    SchemaTerms value;
    bool required;
  };
  // Members of any name that follows the rule.
  struct Others {
    StringRule name;
    SchemaTerms value;
  };

  std::vector<Listed> listed = {};
  std::vector<Others> others = {};
  uint64_t least = 0;
  uint64_t most = kNoMost;
};

ObjectMembers MembersOf(const ObjectRule& rule, SchemaNormaliser& normaliser);

}  // namespace cedar

#endif  // CEDAR_APP_OBJECT_MEMBERS_H_
