#ifndef CEDAR_APP_GUNZIP_H_
#define CEDAR_APP_GUNZIP_H_

#include <zlib.h>

#include <string>

namespace cedar {

// Unpacks a gzip file, chunk by chunk; several that stand one after the other count as one.
class Gunzip {
 public:
  // name: of the file, for messages.
  explicit Gunzip(std::string name);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // Whether more packed bytes are needed first.
  bool IsHungry() const { return stream_.avail_in == 0 && !may_have_more_; }
  // The next packed bytes; REQUIRES: IsHungry().
  void Feed(std::string bytes);
  // Appends a chunk of what they hold, which may be nothing. Damage is an Error (kInput).
  void Unpack(std::string& buffer);
  // At the end of the file: one that ends too early is an Error (kInput).
  void Finish() const;

 private:
  [[noreturn]] void Fail(const std::string& what) const;

  std::string name_;
  std::string packed_;
  z_stream stream_{};
  bool is_within_ = false;      // a member has begun and is not complete
  bool may_have_more_ = false;  // the last chunk was full
};

}  // namespace cedar

#endif  // CEDAR_APP_GUNZIP_H_
