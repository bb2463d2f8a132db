#ifndef CEDAR_APP_LINE_ID_H_
#define CEDAR_APP_LINE_ID_H_

// What names a line in the output of a batch, so that a later run finds its answer, and sees
// whether it would make the same one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cedar {

struct LineId {
  std::string custom_id;
  uint64_t digest = 0;    // of the request and its custom_id (app/request_digest.h)
  size_t occurrence = 0;  // how many lines before it have the same custom_id
  // The model, and the options that act on this line (app/answer_settings.h). Versions before had
  // none; they mixed all into the digest.
  std::string settings = {};
  bool cut =
      false;  // an answer: to prompts that --truncate-prompt has cut; a failure: in its sight

  // "batch_req_DIGEST_SETTINGS_OCCURRENCE", the member `id` of the line.
  std::string id() const;
  // "_DIGEST_OCCURRENCE": behind the names of what stands inside of the line.
  std::string suffix() const;
};

// From the two members of a line; nothing if we did not write the id.
std::optional<LineId> ParseLineId(std::string_view id, const std::string& custom_id);

}  // namespace cedar

#endif  // CEDAR_APP_LINE_ID_H_
