#include "app/file_kind.h"

#include <algorithm>
#include <utility>

#include "weights/utf8.h"

namespace cedar {
namespace {

using namespace std::string_view_literals;

struct Mark {
  std::string_view bytes;
  const char* kind;
  size_t at = 0;
};

// The longer of two marks that begin alike comes first. Some are words that a text may begin with.
constexpr Mark kMarks[] = {
    {"\xFF\xFE\0\0"sv, "UTF-32 text"},
    {"\0\0\xFE\xFF"sv, "UTF-32 text"},
    {"\xFF\xFE"sv, "UTF-16 text"},
    {"\xFE\xFF"sv, "UTF-16 text"},
    {"\x1F\x8B"sv, "gzip data"},
    {"BZh"sv, "bzip2 data"},
    {"\xFD"
     "7zXZ\0"sv,
     "xz data"},
    {"\x28\xB5\x2F\xFD"sv, "zstd data"},
    {"\x04\x22\x4D\x18"sv, "lz4 data"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive"},
    {"Rar!\x1A\x07"sv, "a RAR archive"},
    {"ustar"sv, "a tar archive", 257},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "an old Microsoft Office file (DOC, XLS, PPT)"},
    {"\x89PNG\r\n\x1A\n"sv, "a PNG image"},
    {"\xFF\xD8\xFF"sv, "a JPEG image"},
    {"GIF8"sv, "a GIF image"},
    {"II*\0"sv, "a TIFF image"},
    {"MM\0*"sv, "a TIFF image"},
    {"WEBP"sv, "a WebP image", 8},
    {"ftyp"sv, "an MP4 file", 4},
    {"OggS"sv, "an Ogg file"},
    {"ID3"sv, "an MP3 file"},
    {"\x7F"
     "ELF"sv,
     "an ELF program"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"PAR1"sv, "a Parquet file"},
};

// What lies in a ZIP archive first, and what that makes it.
constexpr std::pair<std::string_view, const char*> kZipped[] = {
    {"word/", "a Word file (DOCX)"},
    {"xl/", "an Excel file (XLSX)"},
    {"ppt/", "a PowerPoint file (PPTX)"},
    {"application/epub+zip", "an EPUB file"},
    {"application/vnd.oasis.opendocument", "an OpenDocument file"},
    {"[Content_Types].xml", "a Microsoft Office file (DOCX, XLSX, PPTX)"},
};

// Text in one of the Western languages has a zero in every second byte.
bool LooksLikeUtf16(std::string_view bytes) {
  constexpr size_t kLeast = 4;
  const size_t pairs = bytes.size() / 2;
  size_t zeros[2] = {0, 0};
  for (size_t i = 0; i < 2 * pairs; ++i) zeros[i % 2] += bytes[i] == '\0';
  const auto [few, many] = std::minmax(zeros[0], zeros[1]);
  return pairs >= kLeast && few == 0 && 4 * many >= 3 * pairs;
}

// A code point may be cut at the end of `bytes`.
bool IsBinary(std::string_view bytes) {
  constexpr size_t kLongestUnit = 4;
  const size_t wrong = FirstInvalidUtf8(bytes).value_or(bytes.size());
  return bytes.find('\0') != bytes.npos || wrong + kLongestUnit <= bytes.size() ||
         (wrong < bytes.size() && FirstUtf8Unit(bytes.substr(wrong)).kind != Utf8Kind::kIncomplete);
}

}  // namespace

std::optional<std::string> ForeignKind(std::string_view bytes) {
  bytes = bytes.substr(0, kKindBytes);
  if (bytes.starts_with("%PDF-")) return "a PDF file";
  if (!IsBinary(bytes)) return std::nullopt;
  for (const Mark& mark : kMarks) {
    if (bytes.size() > mark.at && bytes.substr(mark.at).starts_with(mark.bytes)) return mark.kind;
  }
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) {
    for (const auto& [name, kind] : kZipped) {
      if (bytes.find(name) != bytes.npos) return kind;
    }
    return "a ZIP archive";
  }
  if (LooksLikeUtf16(bytes)) return "UTF-16 text";
  return std::nullopt;
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace cedar
