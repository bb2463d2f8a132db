#ifndef CEDAR_APP_BATCH_CHECK_H_
#define CEDAR_APP_BATCH_CHECK_H_

// cedar batch --check: reads every line as a run would, counts its tokens, says what is wrong or
// does not fit and how long it may take, and runs nothing.

#include <functional>

#include "app/batch_plan.h"
#include "app/exit_code.h"
#include "app/line_source.h"
#include "app/options.h"
#include "app/request_intake.h"
#include "engine/engine.h"

namespace cedar {

// The report goes to standard output. kExitInput if any line would fail. visit: is called for each
// line that would not.
using VisitLine = std::function<void(const RequestIntake::Line&, const BatchRequest&)>;
ExitCode CheckLines(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
                    LineSource& source, const VisitLine& visit = nullptr);

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_CHECK_H_
