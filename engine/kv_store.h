#ifndef CEDAR_ENGINE_KV_STORE_H_
#define CEDAR_ENGINE_KV_STORE_H_

// Pages of global KV on disk, for later runs.
//
// A directory of files that are only ever appended to, each by the one process that made it; so two
// processes may share a directory, and one that is killed leaves at most an unfinished record at
// the end of its file. A file begins with FileHeader, then come records of one size: RecordHeader
// and the page. A record whose checksum is wrong is forgotten. Before all files together come over
// the cap the oldest go, those of other models, ISAs and formats among them, which have other names
// and are not read.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "engine/page_key.h"

namespace cedar {

struct KvStoreOptions {
  std::string directory;
  PageKey model;  // of all that the content of a page depends on, but the tokens
  size_t page_bytes = 0;
  size_t most_bytes = 0;  // cap of all files together
};

class KvStore {
 public:
  // Makes the directory if need be and reads which pages are there. Throws Error (kInput) when the
  // directory cannot be made or read.
  explicit KvStore(const KvStoreOptions& options);
  ~KvStore();

  bool Has(const PageKey& key) const { return records_.contains(key); }
  // Reads a page [page_bytes]; false when there is none, or it turned out to be damaged.
  bool Load(const PageKey& key, uint8_t* page);
  // Adds a page, unless it is there. When the disk takes no more, nothing is added from then on:
  // failure() says why.
  void Append(const PageKey& key, const uint8_t* page);

  const std::optional<std::string>& failure() const { return failure_; }
  size_t damaged() const { return damaged_; }  // records found and forgotten

 private:
  struct File;
  struct Record {
    const File* file;
    size_t offset;
  };

  void ReadFile(const std::string& path);
  bool StartFile();
  // Until the cap leaves so much room.
  void EvictOldFiles(size_t room, std::error_code& error);
  void RemoveRecords(const std::string& path);  // of a file that is gone
  size_t RecordBytes() const;
  std::string PathOf(const std::string& name) const;

  KvStoreOptions options_;
  std::string prefix_;  // of the names of this model's files
  std::vector<std::unique_ptr<File>> files_;
  File* own_ = nullptr;  // the one that is appended to
  size_t files_begun_ = 0;
  std::unordered_map<PageKey, Record> records_;
  std::vector<uint8_t> buffer_;  // one record
  std::optional<std::string> failure_;
  size_t damaged_ = 0;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_KV_STORE_H_
