#include "app/memory_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/report.h"
#include "engine/model.h"
#include "simd/error.h"
#include "weights/model_counts.h"

namespace cedar {
namespace {

std::string Bytes(uint64_t bytes) { return FormatBytes(static_cast<double>(bytes)); }

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
  return text;
}

std::string SpeedText(const DiskProbe& disk, double bytes) {
  if (!disk.bytes_per_second) return "speed unknown: " + disk.why;
  const double speed = *disk.bytes_per_second;
  return "at " + FormatBytes(speed) + "/s as probed just now, " + Seconds(bytes / speed) +
         " a token";
}

}  // namespace

double MemoryFit::MissingShare() const {
  if (Fits() || layers == 0) return 0;
  const double missing = static_cast<double>(layers + plan - room.bytes);
  return std::min(1.0, missing / static_cast<double>(layers));
}

double MemoryFit::DiskBytesOfToken() const { return MissingShare() * static_cast<double>(token); }

MemoryFit MakeMemoryFit(uint64_t layers, uint64_t plan, uint64_t token,
                        const std::vector<std::string>& files) {
  MemoryFit fit{layers, plan, token, simd::RoomOfMemory(), {}};
  if (!fit.Fits()) fit.disk = ProbeDisk(files);
  return fit;
}

MemoryFit MakeMemoryFit(const Engine& engine, uint64_t plan) {
  const Model& model = engine.model();
  const std::vector<std::string> files = FilesOnDisk(model.checkpoint);
  const ModelCounts::Bytes bytes = CountModel(model.weights, model.config, model.plan).bytes;
  const bool in_memory = files.empty() || engine.loaded_weight_bytes() > 0;
  return MakeMemoryFit(in_memory ? 0 : bytes.weights, plan, bytes.decode_token, files);
}

std::vector<std::string> FilesOnDisk(const Checkpoint& checkpoint) {
  std::vector<std::string> paths;
  for (const MappedFile* file : checkpoint.files()) {
    if (file->residency() != Residency::kAlways && !LiesInMemory(file->path()))
      paths.push_back(file->path());
  }
  return paths;
}

std::string FitText(const MemoryFit& fit) {
  if (fit.room.bytes == 0) return "nobody says what memory is available here";
  if (fit.Fits()) return "fits";
  if (!fit.PlanFits()) {
    return "does not fit: the memory plan alone needs " + Bytes(fit.plan) + ", with " +
           RoomText(fit.room) + "; such a run is refused, a smaller --ctx or --parallel is not";
  }
  const double from_disk = fit.DiskBytesOfToken();
  return "does not fit: the layers" + std::string(fit.plan > 0 ? " and the plan" : "") + " need " +
         Bytes(fit.layers + fit.plan) + ", with " + RoomText(fit.room) + "; of the " +
         Bytes(fit.token) + " that each new token reads, about " + FormatBytes(from_disk) +
         " would come from disk (" + SpeedText(*fit.disk, from_disk) + ")";
}

nlohmann::ordered_json FitJson(const MemoryFit& fit) {
  nlohmann::ordered_json json = {{"layers", fit.layers},
                                 {"plan", fit.plan},
                                 {"needed", fit.layers + fit.plan},
                                 {"fits", fit.Fits()}};
  if (fit.room.bytes == 0) json["fits"] = nullptr;
  if (fit.Fits()) return json;
  json["disk_bytes_per_token"] = std::llround(fit.DiskBytesOfToken());
  const auto& speed = fit.disk->bytes_per_second;
  json["disk_bytes_per_second"] = speed ? nlohmann::ordered_json(*speed) : nullptr;
  return json;
}

void WarnIfUnfit(const MemoryFit& fit) {
  if (!fit.Fits()) std::fprintf(stderr, "warning: the model %s\n", FitText(fit).c_str());
}

void CheckMemoryOption(std::optional<size_t> memory, size_t held) {
  const simd::MemoryRoom room = simd::RoomOfMemory();
  if (!memory || room.bytes == 0 || *memory <= room.bytes + held) return;
  throw Error(ErrorKind::kUsage, "--memory: found " + Bytes(*memory) +
                                     ", expected no more than there is: " + RoomText(room));
}

}  // namespace cedar
