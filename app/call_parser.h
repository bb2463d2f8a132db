#ifndef CEDAR_APP_CALL_PARSER_H_
#define CEDAR_APP_CALL_PARSER_H_

// Calls of tools in what the model wrote (text.md, C.4).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/message.h"
#include "weights/tokenizer.h"

namespace cedar {

// What a prompt ends with when the model must call a tool.
inline constexpr std::string_view kOpenCalls = "\n\n<｜DSML｜ calls>\n";
void AppendOpenCall(const Tokenizer& tokenizer, std::vector<int32_t>& prompt);

// Takes the block of calls, and the line breaks before it, out of the text. Arguments come as the
// text of a JSON object. A block that is not well formed stays in the text, and there are no calls.
std::vector<ToolCall> TakeCalls(std::string& text);

}  // namespace cedar

#endif  // CEDAR_APP_CALL_PARSER_H_
