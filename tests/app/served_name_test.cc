#include "app/served_name.h"

#include <gtest/gtest.h>

namespace cedar {
namespace {

TEST(ServedName, AnotherNameIsWarnedOfOnce) {
  ServedName served("demo");
  EXPECT_EQ(served.Warn(""), std::nullopt);
  EXPECT_EQ(served.Warn("demo"), std::nullopt);
  const auto warning = served.Warn("gpt-4o-mini");
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("\"gpt-4o-mini\", and demo answers"), std::string::npos) << *warning;
  EXPECT_EQ(served.Warn("gpt-4o"), std::nullopt);
}

TEST(ServedName, ItsOwnNames) {
  for (const char* model : {"/m/DeepSeek-V4.1-Flash", "/m/DeepSeek-V4.1-Flash/",
                            "/c/models--deepseek-ai--DeepSeek-V4.1-Flash/snapshots/abc", "v41"}) {
    for (const char* asked : {"deepseek-ai/DeepSeek-V4.1-Flash", "deepseek-v4.1-flash"}) {
      EXPECT_EQ(ServedName(model).Warn(asked), std::nullopt) << model << " " << asked;
    }
  }
  EXPECT_EQ(ServedName("/m/my-model").Warn("my-model"), std::nullopt);
  EXPECT_TRUE(ServedName("/m/my-model").Warn("other-model"));
}

}  // namespace
}  // namespace cedar
