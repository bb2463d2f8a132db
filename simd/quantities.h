#ifndef CEDAR_SIMD_QUANTITIES_H_
#define CEDAR_SIMD_QUANTITIES_H_

// Numbers as people read them.

#include <cstdint>
#include <string>

namespace cedar {

// Three significant digits and a decimal unit: "890 B", "2.70 MB".
std::string FormatBytes(double bytes);
// The same for counts: "552 B", "1.32 M", "881".
std::string FormatCount(double count);
// A number with so many digits after the point.
std::string FormatFixed(double value, int digits);
// For messages, where a few bytes may matter: "1 byte", "9999 bytes", then as FormatBytes.
std::string BytesText(uint64_t bytes);
// More than there may be, where both may read the same: "4.29 GB, 1 byte too many".
std::string ExcessText(uint64_t bytes, uint64_t most);

}  // namespace cedar

#endif  // CEDAR_SIMD_QUANTITIES_H_
