#include "app/earlier_lookup.h"

#include "app/interrupt.h"
#include "app/line_identifier.h"

namespace cedar {

void LookUpLines(const Engine& engine, const BatchOptions& options, LineSource& source,
                 BatchAnswers& answers) {
  if (answers.empty()) return;
  LineIdentifier identifier(engine, options, source.total().value_or(0));
  InputLine input;
  while (source.Next(/*wait=*/true, input) == LineSource::Status::kLine) {
    CheckInterrupt();
    answers.Find(identifier.Identify(input).id);
  }
  source.Rewind();
}

}  // namespace cedar
