#ifndef CEDAR_APP_CONTROL_NAMES_H_
#define CEDAR_APP_CONTROL_NAMES_H_

// The control tokens of chat text, by the texts under which a tokenizer lists them (text.md, A.2).

#include <cstdint>
#include <string_view>

#include "weights/tokenizer.h"

namespace cedar {

inline constexpr std::string_view kBeginOfText = "<｜begin▁of▁sentence｜>";
inline constexpr std::string_view kEndOfText = "<｜end▁of▁sentence｜>";
inline constexpr std::string_view kSystemTurn = "<｜System｜>";
inline constexpr std::string_view kUserTurn = "<｜User｜>";
inline constexpr std::string_view kAssistantTurn = "<｜Assistant｜>";
inline constexpr std::string_view kThinkBegin = "<think>";
inline constexpr std::string_view kThinkEnd = "</think>";
inline constexpr std::string_view kDsml = "｜DSML｜";  // in the marks around tool calls
inline constexpr std::string_view kLatestReminder = "<｜latest_reminder｜>";

// Whether a token is a control token that is no text of an answer: all but those around thoughts
// and calls.
bool IsSilent(const Tokenizer& tokenizer, int32_t id);

}  // namespace cedar

#endif  // CEDAR_APP_CONTROL_NAMES_H_
