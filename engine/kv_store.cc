#include "engine/kv_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "simd/error.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

// DO NOT CHANGE: files on disk. A new layout gets a new version.
constexpr uint32_t kVersion = 1;
constexpr char kSuffix[] = ".kv";

struct FileHeader {
  char magic[8] = {'C', 'e', 'd', 'a', 'r', 'K', 'V', '\n'};
  uint32_t version = kVersion;
  uint32_t unused = 0;
  PageKey model;
  uint64_t page_bytes = 0;
};
static_assert(sizeof(FileHeader) == 40);

struct RecordHeader {
  PageKey key;
  PageKey checksum;  // of key and page
};
static_assert(sizeof(RecordHeader) == 32);

// A share of the cap after which a new file is begun, so that old ones can go. Before it grows,
// room is made for it and for the one that another process may be writing.
constexpr size_t kFilesUnderCap = 8;
constexpr size_t kFilesThatGrow = 2;

// Names are MODEL-TIME-PROCESS-NUMBER.kv, model and time as hexadecimal digits of a fixed length.
constexpr size_t kModelDigits = 32;

struct FoundFile {
  std::string name;
  size_t bytes;
};

// The files of all models, the oldest first.
std::vector<FoundFile> FindFiles(const std::string& directory, std::error_code& error) {
  std::vector<FoundFile> files;
  fs::directory_iterator it(directory, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.ends_with(kSuffix) || name.find('-') != kModelDigits) continue;
    std::error_code gone;  // another process evicted it just now
    const auto bytes = it->file_size(gone);
    if (!gone) files.push_back({name, static_cast<size_t>(bytes)});
  }
  std::sort(files.begin(), files.end(), [](const FoundFile& a, const FoundFile& b) {
    return a.name.substr(kModelDigits) < b.name.substr(kModelDigits);
  });
  return files;
}

PageKey Checksum(const PageKey& key, std::span<const uint8_t> page) {
  const PageKey of_page = KeyOf(page);
  const PageKey both[2] = {key, of_page};
  return KeyOf({reinterpret_cast<const uint8_t*>(both), sizeof(both)});
}

bool ReadAt(int fd, void* data, size_t bytes, size_t offset) {
  auto* out = static_cast<uint8_t*>(data);
  while (bytes > 0) {
    const ssize_t n = pread(fd, out, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out += n;
    offset += static_cast<size_t>(n);
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool WriteAll(int fd, const uint8_t* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = write(fd, data, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

struct KvStore::File {
  explicit File(int descriptor, std::string name) : fd(descriptor), path(std::move(name)) {}
  ~File() { close(fd); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd;
  std::string path;
  size_t bytes = 0;
};

KvStore::KvStore(const KvStoreOptions& options)
    : options_(options),
      prefix_(KeyText(options.model) + "-"),
      buffer_(sizeof(RecordHeader) + options.page_bytes) {
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (!error) EvictOldFiles(0, error);
  const std::vector<FoundFile> files = FindFiles(options.directory, error);
  if (error) throw Error(ErrorKind::kInput, options.directory + ": " + error.message());
  for (const FoundFile& file : files) {
    if (file.name.starts_with(prefix_)) ReadFile(PathOf(file.name));
  }
}

KvStore::~KvStore() = default;

size_t KvStore::RecordBytes() const { return buffer_.size(); }

std::string KvStore::PathOf(const std::string& name) const {
  return (fs::path(options_.directory) / name).string();
}

void KvStore::ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;  // another process evicted it just now
  auto file = std::make_unique<File>(fd, path);
  FileHeader header;
  struct stat status;
  const FileHeader expected{.model = options_.model, .page_bytes = options_.page_bytes};
  if (fstat(fd, &status) != 0 || !ReadAt(fd, &header, sizeof(header), 0) ||
      std::memcmp(&header, &expected, sizeof(header)) != 0) {
    ++damaged_;
    return;
  }
  file->bytes = static_cast<size_t>(status.st_size);
  RecordHeader record;
  for (size_t at = sizeof(header); at + RecordBytes() <= file->bytes; at += RecordBytes()) {
    if (!ReadAt(fd, &record, sizeof(record), at)) break;
    records_[record.key] = {file.get(), at};
  }
  files_.push_back(std::move(file));
}

bool KvStore::Load(const PageKey& key, uint8_t* page) {
  const auto it = records_.find(key);
  if (it == records_.end()) return false;
  RecordHeader header;
  const Record record = it->second;
  const bool read = ReadAt(record.file->fd, buffer_.data(), RecordBytes(), record.offset);
  std::memcpy(&header, buffer_.data(), sizeof(header));
  const std::span<const uint8_t> content(buffer_.data() + sizeof(header), options_.page_bytes);
  if (!read || header.key != key || header.checksum != Checksum(key, content)) {
    records_.erase(it);
    ++damaged_;
    return false;
  }
  std::memcpy(page, content.data(), content.size());
  return true;
}

void KvStore::Append(const PageKey& key, const uint8_t* page) {
  if (failure_ || Has(key) || RecordBytes() > options_.most_bytes / kFilesUnderCap) return;
  if (own_ == nullptr || own_->bytes + RecordBytes() > options_.most_bytes / kFilesUnderCap) {
    if (!StartFile()) return;
  }
  const RecordHeader header{key, Checksum(key, {page, options_.page_bytes})};
  std::memcpy(buffer_.data(), &header, sizeof(header));
  std::memcpy(buffer_.data() + sizeof(header), page, options_.page_bytes);
  if (!WriteAll(own_->fd, buffer_.data(), RecordBytes())) {
    failure_ = own_->path + ": " + std::strerror(errno);
    return;
  }
  records_[key] = {own_, own_->bytes};
  own_->bytes += RecordBytes();
}

bool KvStore::StartFile() {
  own_ = nullptr;
  std::error_code error;
  EvictOldFiles(kFilesThatGrow * (options_.most_bytes / kFilesUnderCap), error);
  if (error) {
    failure_ = options_.directory + ": " + error.message();
    return false;
  }
  // Names sort by the time at which files were begun; the process and a counter keep them apart.
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  char name[64];
  std::snprintf(name, sizeof(name), "%016llx-%d-%zu%s",
                static_cast<unsigned long long>(
                    std::chrono::duration_cast<std::chrono::microseconds>(now).count()),
                getpid(), files_begun_++, kSuffix);
  const std::string path = PathOf(prefix_ + name);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) {
    failure_ = path + ": " + std::strerror(errno);
    return false;
  }
  files_.push_back(std::make_unique<File>(fd, path));
  own_ = files_.back().get();
  const FileHeader header{.model = options_.model, .page_bytes = options_.page_bytes};
  if (!WriteAll(fd, reinterpret_cast<const uint8_t*>(&header), sizeof(header))) {
    failure_ = path + ": " + std::strerror(errno);
    return false;
  }
  own_->bytes = sizeof(header);
  return true;
}

void KvStore::EvictOldFiles(size_t room, std::error_code& error) {
  const std::vector<FoundFile> found = FindFiles(options_.directory, error);
  size_t total = 0;
  for (const FoundFile& file : found) total += file.bytes;
  for (size_t i = 0; i < found.size() && total + room > options_.most_bytes; ++i) {
    const std::string path = PathOf(found[i].name);
    unlink(path.c_str());
    RemoveRecords(path);
    total -= found[i].bytes;
  }
}

void KvStore::RemoveRecords(const std::string& path) {
  std::erase_if(records_, [&](const auto& entry) { return entry.second.file->path == path; });
  std::erase_if(files_, [&](const auto& file) { return file->path == path; });
}

}  // namespace cedar
