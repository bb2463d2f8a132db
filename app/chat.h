#ifndef CEDAR_APP_CHAT_H_
#define CEDAR_APP_CHAT_H_

#include "app/exit_code.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// A conversation on a terminal: lines in, answers out. One session holds all of it, so a turn costs
// its own tokens only. /clear begins anew, /system TEXT too with a system prompt, /exit and the end
// of input end it; Ctrl-C stops an answer.
ExitCode Chat(const Engine& engine, const RunOptions& options);

}  // namespace cedar

#endif  // CEDAR_APP_CHAT_H_
