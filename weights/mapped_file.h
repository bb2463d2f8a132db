#ifndef CEDAR_WEIGHTS_MAPPED_FILE_H_
#define CEDAR_WEIGHTS_MAPPED_FILE_H_

// The bytes of a file, mapped read-only, and what the kernel is told about their use. Nothing else
// in weights/ maps memory.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cedar {

// What the kernel tells of which pages of a file are in memory.
enum class Residency {
  kAlways,  // they are no file's: bytes of the program itself
  kTold,    // all, to those who own the file or may write it
  kUntold,  // nothing: others hear that all are there
};

class MappedFile {
 public:
  // Maps the whole file. One that cannot be opened, is not a regular file or is empty: Error
  // (kModel) that names the path.
  static MappedFile Map(const std::string& path);
  // Bytes that already lie in memory and outlive this object; `path` is their name in messages.
  static MappedFile Borrow(const std::string& path, std::span<const uint8_t> bytes);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

  Residency residency() const;

  // Copies a part of bytes() by reading the file, which is faster for much than through the
  // mapping. False if the system cannot read it.
  bool Read(std::span<const uint8_t> part, uint8_t* to) const;

  // For one who reads all of a large file once: from now on Read() brings nothing but its part into
  // the file cache, and Drop() takes a part out again.
  void ReadPartsOnly() const;
  void Drop(std::span<const uint8_t> part) const;
  // Where bytes begin, at or after `offset`, that are no hole; the size of the file if none do.
  size_t NextData(size_t offset) const;

 private:
  MappedFile(std::string path, std::span<const uint8_t> bytes, int fd);

  std::string path_;
  std::span<const uint8_t> bytes_;
  int fd_ = -1;  // the open file if we mapped it
};

// Advice about a part of a mapping; never fails.
//
// Read in small pieces all over: no reading ahead, no huge pages (the Engram tables).
void AdviseRandomAccess(std::span<const uint8_t> bytes);
// Needed soon: the kernel starts to read its pages from disk.
void StartReading(std::span<const uint8_t> bytes);

// The whole pages that cover the bytes.
std::span<uint8_t> PagesAround(std::span<const uint8_t> bytes);

// Bytes of the pages around `bytes` that are in memory; to be asked only where the
// kernel tells (Residency::kTold). A system call, of about a microsecond.
size_t BytesPresent(std::span<const uint8_t> bytes);
// Whether some of these pages are not in memory.
bool MayBeAbsent(std::span<const uint8_t> bytes);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_MAPPED_FILE_H_
