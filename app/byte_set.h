#ifndef CEDAR_APP_BYTE_SET_H_
#define CEDAR_APP_BYTE_SET_H_

#include <bitset>

namespace cedar {

using ByteSet = std::bitset<256>;

}  // namespace cedar

#endif  // CEDAR_APP_BYTE_SET_H_
