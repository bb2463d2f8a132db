#include "app/batch_answers.h"

#include "app/same_file.h"
#include "simd/error.h"

namespace cedar {
namespace {

using Known = AnswerLog::Known;

AnswerLog::Policy PolicyOf(const BatchOptions& options) {
  return {.resume = options.resume, .redo = options.redo, .retry = options.retry_errors};
}

[[noreturn]] void RefuseChanged(const AnswerLog& log, const LineId& line,
                                const std::string& changes) {
  throw Error(ErrorKind::kUsage,
              log.path() + ": the answer to \"" + line.custom_id +
                  "\" stands there, but since then has changed: " + changes +
                  ". --redo answers anew what has changed and keeps the file as " +
                  TargetOf(log.path()) + "~; another -o keeps both");
}

}  // namespace

BatchAnswers::BatchAnswers(const BatchOptions& options)
    : answers_(options.output, PolicyOf(options)) {
  if (options.errors) errors_.emplace(*options.errors, PolicyOf(options));
}

bool BatchAnswers::empty() const { return answers_.empty() && (!errors_ || errors_->empty()); }

AnswerLog::Finding BatchAnswers::Find(const LineId& line) {
  const AnswerLog::Finding found = answers_.Find(line);
  if (found.known == Known::kChanged) RefuseChanged(answers_, line, found.message);
  if (!errors_) return found;
  if (found.known == Known::kAnswered) errors_->Supersede(line);
  const AnswerLog::Finding other = errors_->Find(line);
  if (other.known == Known::kChanged) RefuseChanged(*errors_, line, other.message);
  const bool is_better = found.known == Known::kNo || other.known == Known::kAnswered;
  return is_better && found.known != Known::kAnswered ? other : found;
}

bool BatchAnswers::Has(const std::string& custom_id) {
  return answers_.Has(custom_id) || (errors_ && errors_->Has(custom_id));
}

bool BatchAnswers::IsDone(const std::string& custom_id) {
  return answers_.IsDone(custom_id) || (errors_ && errors_->IsDone(custom_id));
}

void BatchAnswers::Begin() {
  answers_.Begin();
  if (errors_) errors_->Begin();
}

void BatchAnswers::Write(const LineId& line, std::string_view text, bool failed) {
  AnswerLog& log = failed && errors_ ? *errors_ : answers_;
  log.Write(line, text);
  if (!errors_) return;
  (&log == &answers_ ? *errors_ : answers_).Supersede(line);
}

void BatchAnswers::Finish() {
  answers_.Finish();
  if (errors_) errors_->Finish();
}

size_t BatchAnswers::unfound() const {
  return answers_.unfound() + (errors_ ? errors_->unfound() : 0);
}

std::string BatchAnswers::FailurePlace() const {
  const std::string& path = errors_ ? errors_->path() : answers_.path();
  return path == "-" ? "standard output" : path;
}

}  // namespace cedar
