#ifndef CEDAR_APP_BATCH_RUNNER_H_
#define CEDAR_APP_BATCH_RUNNER_H_

// cedar batch: takes lines in, keeps the scheduler fed, writes answers as they finish.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/batch_answers.h"
#include "app/batch_client.h"
#include "app/batch_figures.h"
#include "app/batch_input.h"
#include "app/batch_line.h"
#include "app/batch_plan.h"
#include "app/batch_progress.h"
#include "app/batch_response.h"
#include "app/exit_code.h"
#include "app/line_source.h"
#include "app/options.h"
#include "app/request_intake.h"
#include "engine/engine.h"
#include "engine/scheduler.h"

namespace cedar {

// Where lines come from and where they go. What earlier runs have written is read when they are
// opened.
struct BatchFiles {
  // Throws Error (kInput) for files that cannot be opened.
  BatchFiles(const BatchOptions& options, const BatchInput& input);

  std::unique_ptr<LineSource> source;
  std::optional<Output> summary;
  BatchAnswers answers;
};

class BatchRunner {
 public:
  // Throws Error (kModel) when the memory of the plan is not to be had.
  BatchRunner(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
              BatchFiles files);

  // Answers all lines. Throws Error when the output takes no more or the answer to a line has
  // changed, Interrupted after a signal; what was finished is written in any case.
  ExitCode Run();
  // After Run, however that ended; stopped: why, if before the last line.
  RunEnd End(const std::string& stopped) const;

  const BatchFigures& figures() const { return figures_; }
  // Why nothing more is written to the cache directory, if so.
  std::optional<std::string> cache_failure() const { return scheduler_.cache_failure(); }

 private:
  // A request that was understood and waits for its turn.
  struct Prepared {
    LineId line;
    BatchRequest request;
  };
  // A request whose answers are being made.
  struct Active {
    LineId line;
    BatchRequest request;
    std::vector<std::unique_ptr<BatchAnswerer>> answerers;  // prompts x choices; null when done
    std::vector<AnswerChoice> choices;                      // of those that are done
    size_t unfinished = 0;
  };
  struct Place {
    std::shared_ptr<Active> active;
    size_t index;  // of the answerer
  };

  void AnswerLines();
  void TakeLines();
  void FillWindow();
  // Passes over a document that is known to be answered, unread.
  bool PassOver();
  // Reads one line and prepares it, or writes its failure.
  void Prepare(const InputLine& line);
  void Queue();
  void Start(Prepared prepared);
  void Step();
  void Collect(const Finished& finished);
  void Write(const Active& active);

  const Engine& engine_;
  const BatchOptions options_;
  const BatchPlan plan_;
  BatchFiles files_;
  RequestIntake intake_;
  ModelTokens tokens_;
  Scheduler scheduler_;
  BatchFigures figures_;
  BatchProgress progress_;

  bool input_ended_ = false;
  std::vector<Prepared> window_;  // sorted so that common prefixes stand together
  size_t next_in_window_ = 0;
  size_t held_bytes_ = 0;                     // of requests that wait in the window or run
  std::unordered_map<size_t, Place> places_;  // by the scheduler's number
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_RUNNER_H_
