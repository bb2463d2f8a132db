#include "engine/replay.h"

namespace cedar {

std::string_view ReplayName(Replay replay) {
  switch (replay) {
    case Replay::kBounded:
      return "bounded";
    case Replay::kExact:
      return "exact";
    case Replay::kFull:
      return "full";
  }
  return "";
}

std::optional<Replay> ParseReplay(std::string_view name) {
  for (const Replay replay : {Replay::kBounded, Replay::kExact, Replay::kFull}) {
    if (name == ReplayName(replay)) return replay;
  }
  return std::nullopt;
}

}  // namespace cedar
