#include "app/line_id.h"

#include <gtest/gtest.h>

#include <string>

#include "app/answer_settings.h"

namespace cedar {
namespace {

TEST(LineIdTest, IsReadAsItWasWritten) {
  const LineId plain{"a", 0x123456789abcdef0, 2, "89abcdef"};
  EXPECT_EQ(plain.id(), "batch_req_123456789abcdef0_89abcdef_2");
  EXPECT_EQ(plain.suffix(), "_123456789abcdef0_2");
  const LineId full{"a", 7, 0, "89abcdec_t1e-05_m256", true};
  for (const LineId& line : {plain, full}) {
    const auto read = ParseLineId(line.id(), "a");
    ASSERT_TRUE(read) << line.id();
    EXPECT_EQ(read->id(), line.id());
    EXPECT_EQ(read->digest, line.digest);
    EXPECT_EQ(read->occurrence, line.occurrence);
    EXPECT_EQ(read->settings, line.settings);
    EXPECT_EQ(read->cut, line.cut);
  }
}

TEST(LineIdTest, OlderVersionsHadNoSettings) {
  const auto read = ParseLineId("batch_req_123456789abcdef0_3", "a");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->settings, "");
  EXPECT_EQ(read->occurrence, 3u);
}

TEST(LineIdTest, OthersAreNotOurs) {
  for (const char* id :
       {"", "batch_req_", "batch_req_wnaDys", "batch_req_123456789abcdef0", "vllm-123456789abcdef0",
        "batch_req_123456789abcdeg0_0", "batch_req_123456789abcdef0_x", "batch_req_12_0",
        "batch_req_123456789abcdef0x_0"}) {
    EXPECT_FALSE(ParseLineId(id, "a")) << id;
  }
}

TEST(LineIdTest, SaysWhatChanged) {
  const LineId then{"a", 1, 0, "00000000_t0.5_m3"};
  EXPECT_EQ(WhatChanged(then, then), "");
  EXPECT_EQ(WhatChanged(then, {"a", 2, 0, "00000001_m4_d9"}),
            "its request, the model, --max-tokens (was 3, is 4), --temperature (was 0.5, is not "
            "given), --seed (was not given, is 9)");
}

}  // namespace
}  // namespace cedar
