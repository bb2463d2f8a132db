#include "app/memory_fit.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "app/machine_limits.h"
#include "simd/error.h"

namespace cedar {
namespace {

MemoryFit Release(size_t available) {
  MemoryFit fit{299'000'000'000, 1'000'000'000, 13'000'000'000, {available, 0, "here"}, {}};
  if (!fit.Fits()) fit.disk = DiskProbe{1.2e9, ""};
  return fit;
}

TEST(MemoryFitTest, WhatFits) {
  const MemoryFit fit = Release(300'000'000'000);
  EXPECT_TRUE(fit.Fits());
  EXPECT_EQ(FitText(fit), "fits");
  EXPECT_EQ(fit.DiskBytesOfToken(), 0);
  EXPECT_EQ(FitJson(fit)["fits"], true);
}

// A machine with 24 GB.
TEST(MemoryFitTest, WhatDoesNotFit) {
  const MemoryFit fit = Release(24'000'000'000);
  EXPECT_NEAR(fit.MissingShare(), 276.0 / 299, 1e-12);
  EXPECT_EQ(FitText(fit),
            "does not fit: the layers and the plan need 300 GB, with 24.0 GB available here; of "
            "the 13.0 GB that each new token reads, about 12.0 GB would come from disk (at 1.20 "
            "GB/s as probed just now, 10 s a token)");
  EXPECT_EQ(FitJson(fit)["disk_bytes_per_token"], 12'000'000'000);
  EXPECT_EQ(FitJson(fit)["disk_bytes_per_second"], 1.2e9);
}

TEST(MemoryFitTest, ADiskThatCannotBeProbed) {
  MemoryFit fit = Release(24'000'000'000);
  fit.disk = DiskProbe{{}, "the files are holes"};
  EXPECT_NE(FitText(fit).find("(speed unknown: the files are holes)"), std::string::npos);
  EXPECT_EQ(FitJson(fit)["disk_bytes_per_second"], nullptr);
}

TEST(MemoryFitTest, APlanThatIsTooMuchAlone) {
  const std::string text = FitText(Release(500'000'000));
  EXPECT_NE(text.find("does not fit: the memory plan alone needs 1.00 GB"), std::string::npos)
      << text;
}

TEST(MemoryFitTest, NobodyKnows) {
  EXPECT_TRUE(Release(0).Fits());
  EXPECT_EQ(FitJson(Release(0))["fits"], nullptr);
  EXPECT_EQ(FitText(Release(0)).find("does not fit"), std::string::npos);
}

TEST(MemoryFitTest, TheMemoryOptionMustBeThere) {
  CheckMemoryOption({}, 0);
  CheckMemoryOption(1, 0);
  EXPECT_THROW(CheckMemoryOption(std::numeric_limits<size_t>::max() / 2, 0), Error);
}

TEST(MachineLimitsTest, SayWhichAndWhere) {
  MachineLimits limits;
  limits.room = {7'000'000'000, 8'000'000'000, "/sys/fs/cgroup/a/memory.max"};
  EXPECT_EQ(LimitLines(limits)[0].second,
            "7.00 GB left of the 8.00 GB of /sys/fs/cgroup/a/memory.max");
  EXPECT_EQ(CpuQuotaJson(limits), nullptr);
  limits.groups.memory = simd::GroupMemory{8'000'000'000, 7'000'000'000, limits.room.source};
  limits.groups.cpus = simd::GroupCpus{1.5, "/sys/fs/cgroup/a/cpu.max"};
  EXPECT_EQ(LimitLines(limits)[2].second, "1.5 CPUs: /sys/fs/cgroup/a/cpu.max");
  EXPECT_EQ(MemoryLimitJson(limits)["limit_file"], "/sys/fs/cgroup/a/memory.max");
  EXPECT_EQ(CpuQuotaJson(limits)["cpus"], 1.5);
}

}  // namespace
}  // namespace cedar
