#include "app/batch_input.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/document_names.h"
#include "app/document_source.h"
#include "app/own_files.h"

namespace cedar {
namespace {

// A shell may have made a pattern into more names than a command line holds, or into others than
// the next run will find.
void HintAtQuotes(const std::vector<std::string>& values) {
  const auto is_file = [](const std::string& value) {
    std::error_code unknown;
    return std::filesystem::exists(value, unknown);
  };
  if (values.size() < 2 || !std::all_of(values.begin(), values.end(), is_file)) return;
  std::fprintf(stderr,
               "--documents: took %zu names; if a shell made them of a pattern, put quotes around "
               "it: --documents '*.txt'\n",
               values.size());
}

}  // namespace

BatchInput::BatchInput(const BatchOptions& options) : options_(options) {
  if (options.documents.empty()) return;
  HintAtQuotes(options.documents);
  documents_ = WithoutOwnFiles(options, FindDocuments(options.documents));
}

std::unique_ptr<LineSource> BatchInput::Open() const {
  const size_t longest = LongestLine(options_.memory);
  if (options_.documents.empty()) return OpenLines(options_.input, longest);
  return OpenDocuments(documents_, options_.prompt.value_or(""), longest);
}

bool BatchInput::IsKnown() const {
  std::error_code unknown;
  return !options_.documents.empty() || std::filesystem::is_regular_file(options_.input, unknown);
}

}  // namespace cedar
