#ifndef CEDAR_WEIGHTS_CONFIG_RULES_H_
#define CEDAR_WEIGHTS_CONFIG_RULES_H_

#include <string>

#include "weights/config.h"

namespace cedar {

// What the members of a config owe each other (checkpoint.md, "A config is refused"). Every one
// lies in its own bounds already. A broken rule is an Error (kModel); `where` stands before the key
// in it.
void CheckConfigRules(const ModelConfig& config, const std::string& where);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_CONFIG_RULES_H_
