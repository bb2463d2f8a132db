#include "app/request_url.h"

namespace cedar {
namespace {

// Takes the host out of a url that has one.
bool TakeHost(std::string_view& url) {
  constexpr std::string_view kScheme = "://";
  const size_t scheme = url.find(kScheme);
  const size_t begin = scheme == url.npos ? 0 : scheme + kScheme.size();
  const size_t end = url.find('/', begin);
  if (end == url.npos) return false;
  // Without a scheme: localhost:8000/v1, api.example.com/v1.
  const bool is_host = scheme != url.npos || url.substr(0, end).find_first_of(".:") != url.npos;
  if (is_host) url.remove_prefix(end);
  return is_host;
}

bool TakeEnd(std::string_view& path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  path.remove_suffix(end.size());
  return true;
}

// Where servers have OpenAI's interface: v1/, api/v1/, v1beta/openai/, deployments/NAME/.
bool IsKnownPrefix(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return path == "v1/" || path.ends_with("/v1/") || path.ends_with("openai/") ||
         path.find("deployments/") != path.npos;
}

}  // namespace

std::optional<Endpoint> EndpointOf(std::string_view url) {
  const bool has_host = TakeHost(url);
  url = url.substr(0, url.find_first_of("?#"));
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.starts_with('/')) url.remove_prefix(1);
  Endpoint endpoint = Endpoint::kCompletion;
  if (!TakeEnd(url, "completions")) return std::nullopt;
  if (TakeEnd(url, "chat/")) endpoint = Endpoint::kChat;
  const bool is_known = url.empty() || (has_host && url.ends_with('/')) || IsKnownPrefix(url);
  return is_known ? std::optional(endpoint) : std::nullopt;
}

}  // namespace cedar
