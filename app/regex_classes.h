#ifndef CEDAR_APP_REGEX_CLASSES_H_
#define CEDAR_APP_REGEX_CLASSES_H_

#include <optional>
#include <string_view>

#include "app/regex_tree.h"

namespace cedar {

ClassSets DigitClass();
ClassSets WordClass();
ClassSets SpaceClass();
ClassSets DotClass();  // all but ends of lines

// What stands between the braces of \p{...}: a general category, by its short or long name and with
// or without "General_Category=", Any, ASCII or Assigned. Nothing for all other properties.
std::optional<CodeSet> PropertyClass(std::string_view name);

}  // namespace cedar

#endif  // CEDAR_APP_REGEX_CLASSES_H_
