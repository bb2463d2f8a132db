#ifndef CEDAR_APP_BATCH_INPUT_H_
#define CEDAR_APP_BATCH_INPUT_H_

// What a batch reads: the lines of a file or of standard input, or documents.

#include <memory>
#include <string>
#include <vector>

#include "app/line_source.h"
#include "app/options.h"

namespace cedar {

class BatchInput {
 public:
  // Finds the documents, once. Throws Error as FindDocuments and WithoutOwnFiles do.
  explicit BatchInput(const BatchOptions& options);

  // From the first line on. Standard input can be opened once alone. Throws Error (kInput).
  std::unique_ptr<LineSource> Open() const;

  // Whether there are as many lines each time: all but pipes and the like.
  bool IsKnown() const;

 private:
  const BatchOptions& options_;
  std::vector<std::string> documents_;
};

}  // namespace cedar

#endif  // CEDAR_APP_BATCH_INPUT_H_
