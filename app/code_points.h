#ifndef CEDAR_APP_CODE_POINTS_H_
#define CEDAR_APP_CODE_POINTS_H_

#include <string>
#include <string_view>

namespace cedar {

// The code points of UTF-8 that was checked before.
std::u32string CodePoints(std::string_view text);

}  // namespace cedar

#endif  // CEDAR_APP_CODE_POINTS_H_
