#ifndef CEDAR_APP_BATCH_ANSWERS_H_
#define CEDAR_APP_BATCH_ANSWERS_H_

// Where a batch puts its answers, and where its failures: one file or two, as one.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "app/answer_log.h"
#include "app/line_id.h"
#include "app/options.h"

namespace cedar {

class BatchAnswers {
 public:
  // Opens and reads both files; nothing is changed before Begin. Throws as AnswerLog.
  explicit BatchAnswers(const BatchOptions& options);

  // Whether earlier runs have left anything that a line may find.
  bool empty() const;
  // What they made of a line. A changed answer (kChanged) is an Error (kUsage) that says in what.
  AnswerLog::Finding Find(const LineId& line);

  // As those of AnswerLog.
  bool Has(const std::string& custom_id);
  bool IsDone(const std::string& custom_id);
  void Begin();
  void Write(const LineId& line, std::string_view text, bool failed);
  void Finish();

  // Answers that no line was found for.
  size_t unfound() const;
  // Where failures go, for people.
  std::string FailurePlace() const;

 private:
  AnswerLog answers_;
  std::optional<AnswerLog> errors_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_ANSWERS_H_
