// What a file of requests may be, and what is said of one that is none.

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "app/line_source.h"
#include "simd/error.h"
#include "tests/temp_folder.h"

namespace cedar {
namespace {

using test::TempFolder;

constexpr size_t kLongest = 1000;

// The texts of all requests; a failure stands as "!" and what it says.
std::vector<std::string> LinesOf(const std::string& bytes) {
  const TempFolder folder;
  const std::unique_ptr<LineSource> source = OpenLines(folder.Write("in.jsonl", bytes), kLongest);
  std::vector<std::string> lines;
  InputLine line;
  while (source->Next(/*wait=*/true, line) == LineSource::Status::kLine) {
    lines.push_back(line.failure ? "!" + *line.failure : line.text);
    EXPECT_GE(line.number, lines.size());  // blank lines count
  }
  EXPECT_EQ(source->total(), lines.size());
  return lines;
}

std::string ErrorOf(const std::string& bytes) {
  try {
    LinesOf(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    const std::string what = error.what();
    const std::string name = "in.jsonl: ";
    return what.substr(what.find(name) + name.size());
  }
  return "";
}

std::string Gzip(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Utf16(const std::string& ascii, bool big, bool mark) {
  std::string out = mark ? (big ? "\xFE\xFF" : "\xFF\xFE") : "";
  for (const char c : ascii) {
    if (big) out += '\0';
    out += c;
    if (!big) out += '\0';
  }
  return out;
}

const std::vector<std::string> kTwo = {R"({"a":"]},{"})", R"({"b":[1,{"c":"\"}"}]})"};

TEST(InputFiles, AListOfRequests) {
  for (const std::string& list :
       {"[" + kTwo[0] + "," + kTwo[1] + "]", "[\n  " + kTwo[0] + " ,\n  " + kTwo[1] + "\n]\n",
        "\xEF\xBB\xBF \n[" + kTwo[0] + "," + kTwo[1] + "]\n\n",
        // What follows stands in lines.
        "[" + kTwo[0] + "]\n" + kTwo[1] + "\n"}) {
    EXPECT_EQ(LinesOf(list), kTwo) << list;
  }
  EXPECT_EQ(LinesOf("[]"), std::vector<std::string>());
  EXPECT_EQ(LinesOf("[{\n \"a\": 1\n},{\n \"b\": 2\n}]"),
            (std::vector<std::string>{"{\n \"a\": 1\n}", "{\n \"b\": 2\n}"}));
  // Broken at its end: what was whole is there.
  EXPECT_EQ(LinesOf("[" + kTwo[0] + ",{\"b\":"), (std::vector<std::string>{kTwo[0], "{\"b\":"}));
  // No list of requests.
  EXPECT_EQ(LinesOf("[1]\n" + kTwo[0]), (std::vector<std::string>{"[1]", kTwo[0]}));
}

TEST(InputFiles, RequestsOverSeveralLines) {
  const std::string first = "{\n  \"a\": {\n    \"b\": \"}\"\n  }\n}", second = "{\n  \"c\": 1\n}";
  EXPECT_EQ(LinesOf(first), std::vector<std::string>{first});
  EXPECT_EQ(LinesOf(first + "\n" + second + "\n"), (std::vector<std::string>{first, second}));
  // A broken one ends where the next begins.
  EXPECT_EQ(LinesOf("{\n  \"a\": \"\n" + second),
            (std::vector<std::string>{"{\n  \"a\": \"\n", second}));
  EXPECT_EQ(LinesOf("{\n{\"a\":1}\n"), (std::vector<std::string>{"{", "{\"a\":1}"}));
}

TEST(InputFiles, LongElementsArePassedOver) {
  const std::string huge = "{\"a\":\"" + std::string(200'000, 'x') + "\"}";
  const std::vector<std::string> lines = LinesOf("[" + huge + "," + kTwo[1] + "]");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].rfind("!line: found 200 kB, ", 0), 0u) << lines[0];
  EXPECT_EQ(lines[1], kTwo[1]);
}

TEST(InputFiles, GzipIsUnpacked) {
  const std::string text = kTwo[0] + "\n\n" + kTwo[1] + "\n";
  EXPECT_EQ(LinesOf(Gzip(text)).size(), 2u);
  EXPECT_EQ(LinesOf(Gzip(kTwo[0] + "\n") + Gzip(kTwo[1])), kTwo);
  EXPECT_EQ(LinesOf(Gzip("[" + kTwo[0] + "," + kTwo[1] + "]")), kTwo);
  std::string many;
  for (int i = 0; i < 50'000; ++i) many += kTwo[1] + "\n";
  EXPECT_EQ(LinesOf(Gzip(many)).size(), 50'000u);
  const std::string packed = Gzip(many);
  EXPECT_EQ(ErrorOf(packed.substr(0, packed.size() / 2)),
            "damaged gzip data: the file ends in the middle");
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 0x55;
  EXPECT_EQ(ErrorOf(damaged).rfind("damaged gzip data: ", 0), 0u) << ErrorOf(damaged);
}

TEST(InputFiles, OtherFilesAreCalledWhatTheyAre) {
  for (const bool big : {false, true}) {
    for (const bool mark : {false, true}) {
      const std::string error = ErrorOf(Utf16(kTwo[0] + "\n" + kTwo[1] + "\n", big, mark));
      EXPECT_EQ(error, std::string("found UTF-16 text (") + (big ? "big" : "little") +
                           "-endian), expected JSON in UTF-8, one request a line (iconv -t UTF-8 "
                           "-f UTF-16 converts it)");
    }
  }
  const std::vector<std::pair<std::string, std::string>> kKinds = {
      {std::string("\xFF\xFE\0\0{\0\0\0", 8), "found UTF-32 text (little-endian)"},
      {std::string("\0\0\0{\0\0\0}", 8), "found UTF-32 text (big-endian)"},
      {"\x28\xB5\x2F\xFDxxxx", "found zstd data, which zstd -dc unpacks, expected"},
      {"\xFD"
       "7zXZ",
       "found xz data"},
      {"BZh9", "found bzip2 data"},
      {"PK\x03\x04", "found a zip archive"},
      {"custom_id,prompt\n1,hi\n2,ho\n",
       "found text that begins \"custom_id,prompt\", like a table (CSV), expected JSON"},
      {"hello\nworld\n", "found text that begins \"hello\", expected JSON, one request a line"},
      {"\x01\x02\n\x03\n", "found binary data, expected JSON"}};
  for (const auto& [bytes, message] : kKinds) {
    EXPECT_EQ(ErrorOf(bytes).rfind(message, 0), 0u) << ErrorOf(bytes);
  }
  // A line that is none among others is its own error.
  EXPECT_EQ(LinesOf("hello\n" + kTwo[0] + "\n").size(), 2u);
  EXPECT_EQ(LinesOf("hello\n").size(), 1u);
}

}  // namespace
}  // namespace cedar
