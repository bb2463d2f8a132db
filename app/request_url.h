#ifndef CEDAR_APP_REQUEST_URL_H_
#define CEDAR_APP_REQUEST_URL_H_

#include <optional>
#include <string_view>

namespace cedar {

enum class Endpoint { kChat, kCompletion };

// The endpoint of a url: /chat/completions or /completions, with or without /v1 and a slash at the
// end; behind a host there may be other folders. Nothing for any other url.
std::optional<Endpoint> EndpointOf(std::string_view url);

}  // namespace cedar

#endif  // CEDAR_APP_REQUEST_URL_H_
