#include "app/request_digest.h"

#include <gtest/gtest.h>

#include <string>

namespace cedar {
namespace {

uint64_t Of(const std::string& line) { return RequestDigest(nlohmann::ordered_json::parse(line)); }

TEST(RequestDigestTest, WritingItDifferentlyChangesNothing) {
  const uint64_t digest =
      Of(R"({"messages":[{"role":"user","content":"a"}],"seed":16,"top_p":0.1})");
  for (const char* line :
       {R"({"top_p":1e-1,"seed":16.0,"messages":[{"content":"a","role":"user"}]})",
        R"({"custom_id":"x","method":"POST","url":"/v1/chat/completions",)"
        R"("body":{"messages":[{"role":"user","content":"\u0061"}],"seed":16,"top_p":0.10}})",
        R"({"messages":[{"role":"user","content":"a","tool_calls":null}],"seed":16,"top_p":0.1,)"
        R"("stop":null,"user":"me","metadata":{"k":"v"},"prompt_cache_key":"k"})",
        R"({"url":"https://host/v1/chat/completions","body":{"seed":16,"top_p":0.1,)"
        R"("messages":[{"role":"user","content":"a","name":"me"}]}})"}) {
    EXPECT_EQ(Of(line), digest) << line;
  }
}

TEST(RequestDigestTest, WhatItSaysChangesIt) {
  const uint64_t digest = Of(R"({"messages":[{"role":"user","content":"a"}],"stop":["b","c"]})");
  for (const char* line : {R"({"messages":[{"role":"user","content":"b"}],"stop":["b","c"]})",
                           R"({"messages":[{"role":"user","content":"a"}],"stop":["c","b"]})",
                           R"({"messages":[{"role":"user","content":"a"}],"stop":["bc"]})",
                           R"({"messages":[{"role":"user","content":"a"}],"stop":["b",["c"]]})",
                           R"({"messages":[{"role":"user","content":"a"}]})",
                           R"({"messages":[{"role":"system","content":"a"}],"stop":["b","c"]})"}) {
    EXPECT_NE(Of(line), digest) << line;
  }
  EXPECT_NE(Of(R"({"url":"/v1/completions","prompt":"a"})"), Of(R"({"prompt":"a"})"));
  EXPECT_NE(Of(R"({"prompt":"a","seed":16})"), Of(R"({"prompt":"a","seed":"16"})"));
  EXPECT_NE(Of(R"({"prompt":"a","echo":true})"), Of(R"({"prompt":"a","echo":1})"));
}

// In a schema null is a value, not an absent field.
TEST(RequestDigestTest, NullCountsInSchemas) {
  const std::string begin = R"({"prompt":"a","response_format":{"json_schema":{"schema":)";
  EXPECT_NE(Of(begin + R"({"const":null}}}})"), Of(begin + "{}}}}"));
  EXPECT_EQ(Of(R"({"prompt":"a","response_format":{"strict":null}})"),
            Of(R"({"prompt":"a","response_format":{}})"));
}

}  // namespace
}  // namespace cedar
