#include "weights/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "simd/quantities.h"
#include "weights/model_error.h"
#include "weights/safetensors_header.h"

namespace cedar {
namespace {

struct DTypeInfo {
  std::string_view name;
  DType dtype;
  size_t bytes;  // of one element
};

constexpr std::array kDTypes = {
    DTypeInfo{"F32", DType::kF32, 4},         DTypeInfo{"BF16", DType::kBf16, 2},
    DTypeInfo{"F8_E4M3", DType::kFp8E4m3, 1}, DTypeInfo{"F8_E8M0", DType::kE8m0, 1},
    DTypeInfo{"I8", DType::kI8, 1},           DTypeInfo{"BOOL", DType::kOther, 1},
    DTypeInfo{"U8", DType::kOther, 1},        DTypeInfo{"F8_E5M2", DType::kOther, 1},
    DTypeInfo{"I16", DType::kOther, 2},       DTypeInfo{"U16", DType::kOther, 2},
    DTypeInfo{"F16", DType::kOther, 2},       DTypeInfo{"I32", DType::kOther, 4},
    DTypeInfo{"U32", DType::kOther, 4},       DTypeInfo{"I64", DType::kOther, 8},
    DTypeInfo{"U64", DType::kOther, 8},       DTypeInfo{"F64", DType::kOther, 8},
};

const DTypeInfo* FindDType(std::string_view name) {
  const auto* found = std::ranges::find(kDTypes, name, &DTypeInfo::name);
  return found == kDTypes.end() ? nullptr : found;
}

// The product, unless it does not fit.
std::optional<uint64_t> Product(std::span<const uint64_t> shape, uint64_t item) {
  uint64_t product = item;
  for (const uint64_t n : shape) {
    if (__builtin_mul_overflow(product, n, &product)) return std::nullopt;
  }
  return product;
}

std::string Range(const HeaderEntry& entry) {
  return "bytes " + std::to_string(entry.data_offsets[0]) + " to " +
         std::to_string(entry.data_offsets[1]);
}

std::string Where(const HeaderEntry& entry, const std::string& path) {
  return path + ": tensor " + Quoted(entry.name);
}

void CheckSize(const HeaderEntry& entry, const DTypeInfo& dtype, const std::string& path) {
  const uint64_t bytes = entry.data_offsets[1] - entry.data_offsets[0];
  const std::optional<uint64_t> product = Product(entry.shape, dtype.bytes);
  if (product == bytes) return;
  const std::string kind = " for " + entry.dtype + " " + ShapeText(entry.shape);
  if (!product)
    RefuseModel(Where(entry, path), BytesText(bytes), "more than any file holds" + kind);
  const bool few = bytes < *product;
  const uint64_t off = few ? *product - bytes : bytes - *product;
  RefuseModel(Where(entry, path),
              BytesText(bytes) + ", " + BytesText(off) + (few ? " too few" : " too many"),
              BytesText(*product) + kind);
}

// data: what follows the header, in a file of so many bytes.
Tensor MakeTensor(const HeaderEntry& entry, std::span<const uint8_t> data, size_t file_size,
                  const std::string& path) {
  const uint64_t begin = entry.data_offsets[0];
  const uint64_t end = entry.data_offsets[1];
  if (end < begin) RefuseModel(Where(entry, path), Range(entry), "an end that is not before");
  if (end > data.size()) {
    RefuseModel(
        Where(entry, path),
        BytesText(end - data.size()) + " of it behind the end of a file of " + BytesText(file_size),
        "a whole file");
  }
  const DTypeInfo* dtype = FindDType(entry.dtype);
  if (dtype != nullptr) CheckSize(entry, *dtype, path);
  return {entry.name, dtype == nullptr ? DType::kOther : dtype->dtype, entry.dtype, entry.shape,
          data.subspan(begin, end - begin)};
}

void CheckOverlaps(std::span<const HeaderEntry> entries, const std::string& path) {
  std::vector<const HeaderEntry*> sorted;
  for (const HeaderEntry& entry : entries) {
    if (entry.data_offsets[0] != entry.data_offsets[1]) sorted.push_back(&entry);
  }
  std::ranges::sort(sorted, {}, [](const HeaderEntry* entry) { return entry->data_offsets[0]; });
  for (size_t i = 1; i < sorted.size(); ++i) {
    const HeaderEntry& before = *sorted[i - 1];
    if (sorted[i]->data_offsets[0] < before.data_offsets[1]) {
      RefuseModel(Where(*sorted[i], path), Range(*sorted[i]),
                  "none of tensor " + Quoted(before.name) + " (" + Range(before) + ")");
    }
  }
}

// Gaps between tensors are harmless, bytes behind the last one are not: nobody writes them, so the
// file was joined with another or its header is of an older one.
void CheckEnd(std::span<const HeaderEntry> entries, uint64_t size, const std::string& path) {
  uint64_t end = 0;
  for (const HeaderEntry& entry : entries) end = std::max(end, entry.data_offsets[1]);
  if (end < size) RefuseModel(path, BytesText(size - end) + " after the last tensor", "none");
}

}  // namespace

std::vector<Tensor> ReadSafetensors(std::span<const uint8_t> file, const std::string& path) {
  uint64_t length = 0;
  if (file.size() < sizeof(length)) {
    RefuseModel(path, BytesText(file.size()), "a safetensors file");
  }
  for (size_t i = 0; i < sizeof(length); ++i) length |= uint64_t{file[i]} << (8 * i);
  const std::span<const uint8_t> rest = file.subspan(sizeof(length));
  if (length > rest.size()) {
    RefuseModel(path, "a header of " + BytesText(length),
                "at most the " + BytesText(rest.size()) + " that follow");
  }
  const std::string_view json(reinterpret_cast<const char*>(rest.data()), length);
  const std::vector<HeaderEntry> entries = ParseHeader(json, path);
  const std::span<const uint8_t> data = rest.subspan(length);
  std::vector<Tensor> tensors;
  tensors.reserve(entries.size());
  for (const HeaderEntry& entry : entries) {
    tensors.push_back(MakeTensor(entry, data, file.size(), path));
  }
  CheckOverlaps(entries, path);
  CheckEnd(entries, data.size(), path);
  return tensors;
}

std::string ShapeText(std::span<const size_t> shape) {
  std::string text = "[";
  for (const size_t n : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
  return text + "]";
}

}  // namespace cedar
