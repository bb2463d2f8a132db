#include "engine/page_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace cedar {
namespace {

PageKey FromHash(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

}  // namespace

PageKey KeyOf(std::span<const uint8_t> bytes) {
  return FromHash(XXH3_128bits(bytes.data(), bytes.size()));
}

PageKey KeyOfNext(const PageKey& before, std::span<const int32_t> tokens) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, &before, sizeof(before));
  XXH3_128bits_update(&state, tokens.data(), tokens.size_bytes());
  return FromHash(XXH3_128bits_digest(&state));
}

std::string KeyText(const PageKey& key) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(key.high),
                static_cast<unsigned long long>(key.low));
  return text;
}

}  // namespace cedar
