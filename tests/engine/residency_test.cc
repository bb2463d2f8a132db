// The kernel is not asked which weights are in memory where they cannot be elsewhere.

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/model.h"
#include "tests/paths.h"
#include "tests/temp_folder.h"
#include "weights/file_cache.h"

namespace {

std::atomic<size_t> asked = 0;

}  // namespace

// In place of the C library's.
extern "C" int mincore(void* data, size_t bytes, unsigned char* present) noexcept {
  ++asked;
  return static_cast<int>(syscall(SYS_mincore, data, bytes, present));
}

namespace cedar {
namespace {

const std::vector<int32_t> kPrompt = {5, 6, 7, 8, 9, 10};

// The golden checkpoint's files in memory, as the demo's lie in the program.
class InMemory {
 public:
  InMemory() {
    for (const std::string& path : test::FilesIn(GoldenPath("tiny"))) {
      contents_[path.substr(path.rfind('/') + 1)] = test::ReadBytes(path);
    }
  }
  ModelFiles Files() const {
    std::map<std::string, std::span<const uint8_t>, std::less<>> files;
    for (const auto& [name, bytes] : contents_) {
      files[name] = {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
    }
    return ModelFiles::InMemory("inside", files);
  }

 private:
  std::map<std::string, std::string> contents_;
};

size_t AskedBy(const Engine& engine) {
  asked = 0;
  Session session(engine, {.context = 32});
  session.Prefill(kPrompt);
  session.Decode(3);
  return asked;
}

TEST(Residency, OfWeightsInsideTheProgramNobodyAsks) {
  const InMemory memory;
  const Engine engine(memory.Files(), {.isa = Isa::kReference, .threads = 1});
  EXPECT_EQ(AskedBy(engine), 0u);
  EXPECT_FALSE(LookAtFileCache(engine.model().checkpoint));
  EXPECT_EQ(asked, 0u);
}

TEST(Residency, OfWeightsInAFileSomebodyDoes) {
  const Engine engine(ModelFiles::InDirectory(GoldenPath("tiny")),
                      {.isa = Isa::kReference, .threads = 1});
  EXPECT_GT(AskedBy(engine), 0u);
}

}  // namespace
}  // namespace cedar
