#include "app/line_identifier.h"

#include <optional>

#include "app/batch_line.h"
#include "app/request_digest.h"
#include "simd/error.h"

namespace cedar {

IdentifiedLine LineIdentifier::Identify(const InputLine& input) {
  IdentifiedLine line;
  line.number = input.number;
  line.failure_code = input.failure_code;
  line.document_bytes = input.document_bytes;
  uint64_t request = Digest(input.text);  // of a line that is no request
  try {
    if (input.failure) throw Error(ErrorKind::kInput, *input.failure);
    line.json = ParseBatchLine(input.text);
    request = RequestDigest(line.json);
  } catch (const Error& error) {
    line.failure = error.what();
  }
  const std::optional<std::string> own = CustomId(line.json);
  const std::optional<std::string> name = input.custom_id.empty() ? own : input.custom_id;
  line.id.custom_id = name ? *name : names_.AddUnnamed(input.number);
  line.id.digest = Digest(line.id.custom_id, request);
  line.id.occurrence = name ? names_.Add(*name) : 0;
  line.id.settings = settings_.Of(line.json);
  line.id.cut = cut_;
  line.seed = name ? line.id.digest : request;
  return line;
}

}  // namespace cedar
