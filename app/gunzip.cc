#include "app/gunzip.h"

#include <new>
#include <utility>

#include "simd/error.h"

namespace cedar {
namespace {

constexpr int kGzipAlone = MAX_WBITS + 16;

}  // namespace

Gunzip::Gunzip(std::string name) : name_(std::move(name)) {
  if (inflateInit2(&stream_, kGzipAlone) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::Fail(const std::string& what) const {
  throw Error(ErrorKind::kInput, name_ + ": damaged gzip data: " + what);
}

void Gunzip::Feed(std::string bytes) {
  packed_ = std::move(bytes);
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(packed_.size());
}

void Gunzip::Unpack(std::string& buffer) {
  constexpr size_t kChunk = size_t{1} << 16;
  const size_t before = buffer.size();
  buffer.resize(before + kChunk);
  stream_.next_out = reinterpret_cast<Bytef*>(buffer.data() + before);
  stream_.avail_out = kChunk;
  is_within_ = true;
  const int status = inflate(&stream_, Z_NO_FLUSH);
  buffer.resize(before + kChunk - stream_.avail_out);
  may_have_more_ = stream_.avail_out == 0;
  if (status == Z_STREAM_END) {
    // Another may follow.
    is_within_ = false;
    may_have_more_ = false;
    inflateReset(&stream_);
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    Fail(stream_.msg != nullptr ? stream_.msg : "unknown");
  }
}

void Gunzip::Finish() const {
  if (is_within_) Fail("the file ends in the middle");
}

}  // namespace cedar
