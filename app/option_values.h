#ifndef CEDAR_APP_OPTION_VALUES_H_
#define CEDAR_APP_OPTION_VALUES_H_

// The values of options as people write them. `option` names the option in messages; a value that
// is not allowed is an Error (kUsage) with what was found and what was expected.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/numerics.h"
#include "engine/replay.h"
#include "simd/isa.h"
#include "weights/load_weights.h"

namespace cedar {

// A whole number from `least` to `most`.
uint64_t ParseCount(const std::string& option, std::string_view text, uint64_t least,
                    uint64_t most);

// One or more such numbers with commas between them.
std::vector<size_t> ParseCounts(const std::string& option, std::string_view text, uint64_t least,
                                uint64_t most);

// A finite number from `least` to `most`, or above `least` if that is `open`.
struct RealRange {
  double least;
  double most;
  bool open = false;

  bool Contains(double value) const;
  std::string Text() const;  // "a number above 0, at most 1"
};
double ParseReal(const std::string& option, std::string_view text, const RealRange& range);

inline constexpr RealRange kTemperatureRange{0, 100};
inline constexpr RealRange kTopPRange{0, 1, true};
inline constexpr RealRange kMinPRange{0, 1};

// 1 to 100, or low (50), high (75), max (100): text.md, C.2, rule 7.
inline constexpr int kLeastEffort = 1;
inline constexpr int kLowEffort = 50;
inline constexpr int kHighEffort = 75;
inline constexpr int kMaxEffort = 100;
int ParseEffort(const std::string& option, std::string_view text);

// A number of bytes; K, M, G or T may follow for powers of 1024.
size_t ParseBytes(const std::string& option, std::string_view text);

// exact, global or off.
enum class Reuse;
Reuse ParseReuse(const std::string& option, std::string_view text);

Replay ParseReplayOption(const std::string& option, std::string_view text);
Numerics ParseNumericsOption(const std::string& option, std::string_view text);

// mmap or hugepages.
WeightPlace ParseWeightPlace(const std::string& option, std::string_view text);

// One that this CPU has.
Isa ParseIsaOption(const std::string& option, std::string_view text);

}  // namespace cedar

#endif  // CEDAR_APP_OPTION_VALUES_H_
