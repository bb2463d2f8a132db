#ifndef CEDAR_APP_TEXT_CHOICE_H_
#define CEDAR_APP_TEXT_CHOICE_H_

#include <string>
#include <vector>

#include "app/grammar.h"

namespace cedar {

// One of some texts. What several begin with is one part, so that a text has few ways to go on even
// if there are thousands.
Grammar::Node TextChoice(Grammar& grammar, std::vector<std::string> texts);

}  // namespace cedar

#endif  // CEDAR_APP_TEXT_CHOICE_H_
