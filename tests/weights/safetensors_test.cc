#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include <string>

#include "simd/error.h"
#include "tests/weights/tiny_checkpoint.h"

namespace cedar {
namespace {

std::vector<Tensor> Read(const std::string& file) {
  return ReadSafetensors({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "f");
}

TEST(Safetensors, ReadsNamesTypesShapesAndBytes) {
  // Padded with spaces; the data begins at an odd byte, and the entries are in no order.
  const std::string file = SafetensorsFile(
      R"({"__metadata__": {"format": "pt", "deep": [{"a": [1, -2.5, null, true]}]},)"
      R"("b": {"shape": [], "dtype": "BF16", "data_offsets": [7, 9]},)"
      R"("a": {"dtype": "U8", "shape": [2, 3], "data_offsets": [1, 7]},)"
      R"("z": {"dtype": "NEW", "shape": [5], "data_offsets": [0, 1]},)"
      R"("empty": {"dtype": "F32", "shape": [0, 9], "data_offsets": [3, 3]}}  )",
      "zAAAAAAbb");
  const std::vector<Tensor> tensors = Read(file);
  ASSERT_EQ(tensors.size(), 4u);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].dtype, DType::kBf16);
  EXPECT_TRUE(tensors[0].shape.empty());
  EXPECT_EQ(std::string(tensors[0].bytes.begin(), tensors[0].bytes.end()), "bb");
  EXPECT_EQ(tensors[1].dtype, DType::kOther);
  EXPECT_EQ(tensors[1].dtype_name, "U8");
  EXPECT_EQ(tensors[1].shape, (std::vector<size_t>{2, 3}));
  EXPECT_EQ(std::string(tensors[1].bytes.begin(), tensors[1].bytes.end()), "AAAAAA");
  EXPECT_EQ(tensors[2].dtype_name, "NEW");
  EXPECT_TRUE(tensors[3].bytes.empty());
}

TEST(Safetensors, ReadsNoTensors) { EXPECT_TRUE(Read(SafetensorsFile("{}", "")).empty()); }

// As some writers leave them, to align what follows.
TEST(Safetensors, GapsBetweenTensorsAreHarmless) {
  const std::string file =
      SafetensorsFile(R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]},)"
                      R"( "b": {"dtype": "U8", "shape": [1], "data_offsets": [7, 8]}})",
                      "..a....b");
  EXPECT_EQ(Read(file)[1].bytes[0], 'b');
}

struct Lie {
  const char* name;
  std::string file;
  std::string message;  // the whole of it
};

std::string OneTensor(const std::string& body, const std::string& data = "12345678") {
  return SafetensorsFile(R"({"w": {)" + body + "}}", data);
}

const Lie kLies[] = {
    {"TooShort", "1234567", "f: found 7 bytes, expected a safetensors file"},
    {"HeaderLongerThanTheFile", std::string("\x03\0\0\0\0\0\0\0{}", 10),
     "f: found a header of 3 bytes, expected at most the 2 bytes that follow"},
    {"HeaderOfAllBytes", std::string(8, '\xFF') + "{}",
     "f: found a header of 18447 PB, expected at most the 2 bytes that follow"},
    {"NotJson", SafetensorsFile("{\"w\": oops}", ""),
     "f: header: found no JSON at its byte 7, expected JSON"},
    {"EmptyHeader", SafetensorsFile("", ""),
     "f: header: found no JSON at its byte 1, expected JSON"},
    {"TextAfterTheHeader", SafetensorsFile("{} {}", ""),
     "f: header: found no JSON at its byte 4, expected JSON"},
    {"NotUtf8", SafetensorsFile("{\"\xFF\": {}}", ""),
     "f: header: found no JSON at its byte 3, expected JSON"},
    {"AList", SafetensorsFile("[]", ""), "f: header: found a list, expected an object"},
    {"ANumber", SafetensorsFile("3", ""), "f: header: found '3', expected an object"},
    {"DeepList", SafetensorsFile(std::string(1000000, '['), ""),
     "f: header: found a list, expected an object"},
    {"DeepMetadata", SafetensorsFile("{\"__metadata__\":{\"a\":" + std::string(1000000, '['), ""),
     "f: header: found no JSON at its byte 1000022, expected JSON"},
    {"DeepShape", OneTensor("\"shape\":" + std::string(1000000, '[')),
     "f: tensor 'w': found a list at 'shape', expected one dtype, one shape and one data_offsets"},
    {"ATensorThatIsANumber", SafetensorsFile(R"({"w": 5})", ""),
     "f: tensor 'w': found '5', expected an object"},
    {"TwiceTheSameName",
     SafetensorsFile(R"({"w": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},)"
                     R"( "w": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}})",
                     "12"),
     "f: tensor 'w': found it twice, expected one entry"},
    {"NoDtype", OneTensor(R"("shape": [8], "data_offsets": [0, 8])"),
     "f: tensor 'w': found no dtype, expected one"},
    {"NoShape", OneTensor(R"("dtype": "U8", "data_offsets": [0, 8])"),
     "f: tensor 'w': found no shape, expected one"},
    {"NoOffsets", OneTensor(R"("dtype": "U8", "shape": [8])"),
     "f: tensor 'w': found 0 data_offsets, expected 2"},
    {"ThreeOffsets", OneTensor(R"("dtype": "U8", "shape": [8], "data_offsets": [0, 8, 8])"),
     "f: tensor 'w': found 3 data_offsets, expected 2"},
    {"TwoShapes", OneTensor(R"("dtype": "U8", "shape": [8], "shape": [8], "data_offsets": [0, 8])"),
     "f: tensor 'w': found a list at 'shape', expected one dtype, one shape and one data_offsets"},
    {"DtypeThatIsANumber", OneTensor(R"("dtype": 8, "shape": [8], "data_offsets": [0, 8])"),
     "f: tensor 'w': found '8' at 'dtype', expected whole numbers in shape and data_offsets"},
    {"NegativeShape", OneTensor(R"("dtype": "U8", "shape": [-8], "data_offsets": [0, 8])"),
     "f: tensor 'w': found '-8' at 'shape', expected whole numbers in shape and data_offsets"},
    {"FractionOfAByte", OneTensor(R"("dtype": "U8", "shape": [8], "data_offsets": [0.5, 8])"),
     "f: tensor 'w': found '0.5' at 'data_offsets', expected whole numbers in shape and "
     "data_offsets"},
    {"NumberAbove64Bits",
     OneTensor(R"("dtype": "U8", "shape": [18446744073709551616], "data_offsets": [0, 8])"),
     "f: tensor 'w': found '18446744073709551616' at 'shape', expected whole numbers in shape and "
     "data_offsets"},
    {"NumberAboveAllBounds", OneTensor(R"("dtype": "U8", "shape": [1e999])"),
     "f: header: found no JSON at its byte 37, expected JSON"},
    {"EndBeforeBegin", OneTensor(R"("dtype": "U8", "shape": [8], "data_offsets": [8, 0])"),
     "f: tensor 'w': found bytes 8 to 0, expected an end that is not before"},
    {"PastTheEnd", OneTensor(R"("dtype": "U8", "shape": [9], "data_offsets": [0, 9])"),
     "f: tensor 'w': found 1 byte of it behind the end of a file of 76 bytes, expected a whole "
     "file"},
    {"FarPastTheEnd",
     OneTensor(R"("dtype": "NEW", "shape": [1], "data_offsets": [0, 18446744073709551615])"),
     "f: tensor 'w': found 18447 PB of it behind the end of a file of 96 bytes, expected a whole "
     "file"},
    {"SizeThatIsNotTheShape", OneTensor(R"("dtype": "F32", "shape": [3], "data_offsets": [0, 8])"),
     "f: tensor 'w': found 8 bytes, 4 bytes too few, expected 12 bytes for F32 [3]"},
    {"LargeSizeByOneByte",
     OneTensor(R"("dtype": "U8", "shape": [20000], "data_offsets": [0, 20001])",
               std::string(20001, 'x')),
     "f: tensor 'w': found 20.0 kB, 1 byte too many, expected 20.0 kB for U8 [20000]"},
    {"BytesAfterTheLastTensor", OneTensor(R"("dtype": "U8", "shape": [7], "data_offsets": [0, 7])"),
     "f: found 1 byte after the last tensor, expected none"},
    {"BytesAfterNoTensor", SafetensorsFile("{}", "12"),
     "f: found 2 bytes after the last tensor, expected none"},
    {"ShapeThatWrapsAround",
     OneTensor(R"("dtype": "U8", "shape": [4294967296, 4294967296, 8], "data_offsets": [0, 8])"),
     "f: tensor 'w': found 8 bytes, expected more than any file holds for U8 [4294967296, "
     "4294967296, 8]"},
    {"OverlapInOrder",
     SafetensorsFile(R"({"a": {"dtype": "U8", "shape": [5], "data_offsets": [0, 5]},)"
                     R"( "b": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]}})",
                     "12345678"),
     "f: tensor 'b': found bytes 4 to 8, expected none of tensor 'a' (bytes 0 to 5)"},
    {"OverlapOutOfOrder",
     SafetensorsFile(R"({"b": {"dtype": "U8", "shape": [4], "data_offsets": [4, 8]},)"
                     R"( "m": {"dtype": "U8", "shape": [0], "data_offsets": [4, 4]},)"
                     R"( "a": {"dtype": "U8", "shape": [5], "data_offsets": [0, 5]}})",
                     "12345678"),
     "f: tensor 'b': found bytes 4 to 8, expected none of tensor 'a' (bytes 0 to 5)"},
    {"TheSameBytes",
     SafetensorsFile(R"({"b": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]},)"
                     R"( "a": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}})",
                     "12345678"),
     "f: tensor 'a': found bytes 0 to 8, expected none of tensor 'b' (bytes 0 to 8)"},
    {"NameThatDoesNotFitALine",
     SafetensorsFile("{\"\\u001b[31m\\n" + std::string(200, 'w') + "\": 1}", ""),
     "f: tensor '?[31m?" + std::string(114, 'w') + "...': found '1', expected an object"},
};

class SafetensorsLie : public testing::TestWithParam<Lie> {};

TEST_P(SafetensorsLie, IsRefused) {
  try {
    Read(GetParam().file);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    EXPECT_EQ(error.what(), GetParam().message);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SafetensorsLie, testing::ValuesIn(kLies),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cedar
