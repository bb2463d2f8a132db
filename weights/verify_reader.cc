#include "weights/verify_reader.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "weights/model_error.h"

namespace cedar {
namespace {

// What a thread reads at a time.
constexpr size_t kPart = size_t{4} << 20;
// What it takes of a file of which no sum is wanted.
constexpr size_t kStretch = size_t{256} << 20;
// Values may go on behind a part: the next bytes are read too.
constexpr size_t kBehind = 3;
// Between two reports of progress.
constexpr std::chrono::milliseconds kReport(100);

size_t PlaceOf(const Tensor& tensor, const MappedFile& file) {
  return static_cast<size_t>(tensor.bytes.data() - file.bytes().data());
}

std::string TensorText(const MappedFile& file, const Tensor& tensor) {
  return file.path() + ": tensor " + Quoted(tensor.name);
}

}  // namespace

void VerifyReader::Add(const MappedFile& file, std::vector<const Tensor*> tensors,
                       const std::optional<KnownSum>& sum) {
  std::erase_if(tensors, [](const Tensor* tensor) { return ValueBytes(tensor->dtype) == 0; });
  std::ranges::sort(tensors, {}, [](const Tensor* tensor) { return tensor->bytes.data(); });
  const size_t size = file.bytes().size(), stretch = sum ? size : kStretch;
  if (!sum && tensors.empty()) return;
  file.ReadPartsOnly();
  for (size_t at = 0; at < size; at += stretch) {
    const size_t end = std::min(size, at + stretch);
    Task task{&file, {}, at, end, sum, {}};
    for (const Tensor* const tensor : tensors) {
      const size_t begin = PlaceOf(*tensor, file);
      if (begin < end && begin + tensor->bytes.size() > at) task.tensors.push_back(tensor);
    }
    if (sum) task.sha.emplace();
    if (!sum && task.tensors.empty()) continue;
    total_ += end - at;
    tasks_.push_back(std::move(task));
  }
}

std::vector<std::string> VerifyReader::Run(const simd::Workers& workers,
                                           const LoadProgress& progress) {
  // The long ones first, or the last thread would be alone with one.
  std::ranges::stable_sort(tasks_, std::ranges::greater(),
                           [](const Task& task) { return task.end - task.at; });
  const size_t threads = static_cast<size_t>(workers.threads());
  current_.assign(threads, nullptr);
  buffers_.assign(threads, std::vector<uint8_t>(kPart + kBehind));
  while (done_ < total_) {
    const Clock::time_point end = Clock::now() + kReport;
    workers.ForRanges(threads, 1, [&](Range range, int) {
      for (size_t i = range.begin; i < range.end; ++i) ReadUntil(end, i);
    });
    if (progress) progress(done_, total_);
  }
  AddBadValues();
  return std::move(damages_);
}

VerifyReader::Task* VerifyReader::TaskOf(size_t worker) {
  if (current_[worker] == nullptr) {
    const size_t i = next_++;
    if (i >= tasks_.size()) return nullptr;
    current_[worker] = &tasks_[i];
    tasks_[i].present = IsPresent(tasks_[i], tasks_[i].at);
  }
  return current_[worker];
}

void VerifyReader::ReadUntil(Clock::time_point end, size_t worker) {
  while (Task* const task = TaskOf(worker)) {
    ReadPart(*task, buffers_[worker].data());
    if (task->at >= task->end) {
      Finish(*task);
      current_[worker] = nullptr;
    }
    if (Clock::now() >= end) return;
  }
}

// Whether the part of the task that begins there is in the file cache.
bool VerifyReader::IsPresent(const Task& task, size_t at) {
  const size_t size = std::min(kPart, task.end - at);
  return size == 0 || !MayBeAbsent(task.file->bytes().subspan(at, size));
}

void VerifyReader::ReadPart(Task& task, uint8_t* to) {
  const std::span<const uint8_t> bytes = task.file->bytes();
  if (!task.sha) {
    // A hole is all zeros, but a value may begin in it and end behind it.
    const size_t data = std::min(task.end, task.file->NextData(task.at));
    const size_t skipped = data - std::min(data, task.at + kBehind);
    task.at += skipped;
    done_ += skipped;
    if (data == task.end) {
      done_ += task.end - task.at;
      task.at = task.end;
      return;
    }
    if (skipped > 0) task.present = IsPresent(task, task.at);
  }
  const size_t size = std::min(kPart, task.end - task.at);
  const size_t behind = std::min(kBehind, bytes.size() - task.at - size);
  const std::span<const uint8_t> part = bytes.subspan(task.at, size + behind);
  // While these are looked at, the disk looks for the next.
  const size_t next = task.at + size, next_size = std::min(kPart, task.end - next);
  const bool next_present = IsPresent(task, next);
  if (!next_present) StartReading(bytes.subspan(next, next_size));
  if (!task.file->Read(part, to)) {
    AddDamage(task.file->path() + ": bytes " + std::to_string(task.at) + " to " +
              std::to_string(next) + ": cannot be read");
    task.sha.reset();
  } else {
    if (task.sha) task.sha->Add({to, size});
    LookAtValues(task, part, size, to);
  }
  if (!task.present) task.file->Drop(part.first(size));
  task.at = next;
  task.present = next_present;
  done_ += size;
}

// Values that begin among the first `size` bytes of the part, which lie at `data`.
void VerifyReader::LookAtValues(const Task& task, std::span<const uint8_t> part, size_t size,
                                const uint8_t* data) {
  const size_t begin = task.at, end = task.at + size;
  const auto ends_after = [&](const Tensor* tensor) {
    return PlaceOf(*tensor, *task.file) + tensor->bytes.size() > begin;
  };
  auto tensor = std::ranges::partition_point(task.tensors, [&](auto t) { return !ends_after(t); });
  for (; tensor != task.tensors.end(); ++tensor) {
    const size_t place = PlaceOf(**tensor, *task.file), value = ValueBytes((*tensor)->dtype);
    if (place >= end) break;
    const auto up = [&](size_t at) { return place + (at - place + value - 1) / value * value; };
    const size_t first = begin > place ? up(begin) : place;
    const size_t last = std::min({up(end), place + (*tensor)->bytes.size(), begin + part.size()});
    if (first >= last) continue;
    BadValues found = FindBadValues((*tensor)->dtype, {data + (first - begin), last - first});
    if (found.count == 0) continue;
    found.first += first;
    const std::scoped_lock lock(mutex_);
    Bad& bad =
        bad_.try_emplace(*tensor, Bad{task.file, {0, found.first, found.code}}).first->second;
    bad.values.count += found.count;
    if (found.first < bad.values.first)
      bad.values.first = found.first, bad.values.code = found.code;
  }
}

void VerifyReader::Finish(Task& task) {
  if (!task.sha || !task.sum) return;
  const std::string found = task.sha->Finish();
  if (found == task.sum->sha256) return;
  AddDamage(task.file->path() + ": SHA-256: found " + found + ", expected " + task.sum->sha256 +
            " (" + task.sum->source + ")");
}

void VerifyReader::AddDamage(const std::string& damage) {
  const std::scoped_lock lock(mutex_);
  damages_.push_back(damage);
}

void VerifyReader::AddBadValues() {
  for (const auto& [tensor, bad] : bad_) {
    const size_t more = bad.values.count - 1;
    AddDamage(TensorText(*bad.file, *tensor) + ": byte " + std::to_string(bad.values.first) +
              ": found " + BadValueText(tensor->dtype, bad.values.code) + ", expected a number" +
              (more == 0 ? "" : "; " + std::to_string(more) + " more in it"));
  }
}

}  // namespace cedar
