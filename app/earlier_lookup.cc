#include "app/earlier_lookup.h"

#include "app/interrupt.h"
#include "app/line_identifier.h"

namespace cedar {

void LookUpLines(const Engine& engine, const BatchOptions& options, LineSource& source,
                 BatchAnswers& answers) {
  if (answers.empty()) return;
  LineIdentifier identifier(engine, options, source.total().value_or(0));
  InputLine input;
  while (true) {
    CheckInterrupt();
    // A document that nobody has answered need not be read twice.
    if (const auto name = source.NextName(); name && !answers.Has(*name)) {
      source.Skip();
    } else if (source.Next(/*wait=*/true, input) == LineSource::Status::kLine) {
      answers.Find(identifier.Identify(input).id);
    } else {
      break;
    }
  }
  source.Rewind();
}

}  // namespace cedar
