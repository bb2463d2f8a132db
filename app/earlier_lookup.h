#ifndef CEDAR_APP_EARLIER_LOOKUP_H_
#define CEDAR_APP_EARLIER_LOOKUP_H_

#include "app/batch_answers.h"
#include "app/line_source.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// Looks up what earlier runs have made of every line, before any is computed: a changed answer is
// an Error as of BatchAnswers::Find. The source is at its first line before and after; how many
// lines it has must be known.
void LookUpLines(const Engine& engine, const BatchOptions& options, LineSource& source,
                 BatchAnswers& answers);

}  // namespace cedar

#endif  // CEDAR_APP_EARLIER_LOOKUP_H_
