#ifndef CEDAR_APP_REQUEST_DIGEST_H_
#define CEDAR_APP_REQUEST_DIGEST_H_

// What makes two lines the same request, however they are written.

#include <cstdint>
#include <nlohmann/json.hpp>

namespace cedar {

// Of what a line asks for, without its custom_id. White space, escapes, the order of keys, null for
// an absent field, 16.0 for 16 and fields without effect change nothing, nor whether there is a
// "body". In schemas null has a meaning and counts.
uint64_t RequestDigest(const nlohmann::ordered_json& line);

// The body of a line: its member "body", or the line itself.
const nlohmann::ordered_json& BodyOf(const nlohmann::ordered_json& line);

// Whether a line asks to go on with raw text, not for a turn of a chat.
bool IsCompletion(const nlohmann::ordered_json& line);

}  // namespace cedar

#endif  // CEDAR_APP_REQUEST_DIGEST_H_
