#include "app/file_kind.h"

#include <gtest/gtest.h>

namespace cedar {
namespace {

using namespace std::string_view_literals;

TEST(FileKindTest, KnowsWhatIsNoText) {
  const std::pair<std::string_view, const char*> cases[] = {
      {"\xFF\xFEH\0i\0"sv, "UTF-16 text"},
      {"\xFE\xFF\0H\0i"sv, "UTF-16 text"},
      {"H\0e\0l\0l\0o\0"sv, "UTF-16 text"},
      {"\0H\0e\0l\0l\0o"sv, "UTF-16 text"},
      {"\xFF\xFE\0\0H\0\0\0"sv, "UTF-32 text"},
      {"\x1F\x8B\x08\0"sv, "gzip data"},
      {"BZh91AY&SY\xAA"sv, "bzip2 data"},
      {"%PDF-1.7\n"sv, "a PDF file"},
      {"PK\3\4\x14\0\6\0[Content_Types].xml ... word/document.xml"sv, "a Word file (DOCX)"},
      {"PK\3\4\x14\0\6\0[Content_Types].xml"sv, "a Microsoft Office file (DOCX, XLSX, PPTX)"},
      {"PK\3\4\x0A\0\0\0\0\0a.txt"sv, "a ZIP archive"},
      {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0"sv, "an old Microsoft Office file (DOC, XLS, PPT)"},
      {"\x89PNG\r\n\x1A\n\0"sv, "a PNG image"}};
  for (const auto& [bytes, kind] : cases) EXPECT_EQ(ForeignKind(bytes), kind);
}

TEST(FileKindTest, TextIsText) {
  for (const std::string_view text :
       {""sv, "ID3 grows a tree of decisions."sv, "BZh"sv, "GIF89a is a format."sv,
        "\xEF\xBB\xBFHello"sv, "H\0i"sv, "caf\xE9"sv, "PK"sv}) {
    EXPECT_EQ(ForeignKind(text), std::nullopt) << text;
  }
  // Cut inside a code point, where the bytes that are looked at end.
  std::string text = "OggS" + std::string(kKindBytes - 5, 'a') + "\xC3\xA9";
  EXPECT_EQ(ForeignKind(text), std::nullopt);
}

TEST(FileKindTest, AByteOrderMarkIsNoText) {
  EXPECT_EQ(WithoutByteOrderMark("\xEF\xBB\xBFHello"), "Hello");
  EXPECT_EQ(WithoutByteOrderMark("Hello"), "Hello");
}

}  // namespace
}  // namespace cedar
