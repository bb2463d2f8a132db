#ifndef CEDAR_APP_CALL_PARSER_H_
#define CEDAR_APP_CALL_PARSER_H_

// Calls of tools in what the model wrote (text.md, C.4).

#include <string>
#include <vector>

#include "app/message.h"

namespace cedar {

// Takes the block of calls, and the line breaks before it, out of the text. Arguments come as the
// text of a JSON object. A block that is not well formed stays in the text, and there are no calls.
std::vector<ToolCall> TakeCalls(std::string& text);

}  // namespace cedar

#endif  // CEDAR_APP_CALL_PARSER_H_
