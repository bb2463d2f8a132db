// cedar info: what a model is and what it costs to run, from its config.json alone; where there are
// weights, whether they are whole and how much of them lies in memory already.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench_tables.h"
#include "app/commands.h"
#include "app/layer_table.h"
#include "app/machine_limits.h"
#include "app/memory_fit.h"
#include "app/model_source.h"
#include "app/output.h"
#include "app/report.h"
#include "engine/memory_plan.h"
#include "simd/cores.h"
#include "simd/error.h"
#include "simd/isa.h"
#include "simd/kernels.h"
#include "simd/workers.h"
#include "weights/check_model.h"
#include "weights/file_cache.h"
#include "weights/layer_plan.h"
#include "weights/model_counts.h"
#include "weights/read_model.h"

namespace cedar {
namespace {

struct Info {
  std::string model;
  ModelConfig config;
  LayerPlan plan;
  ModelCounts counts;
  PlanOptions options;
  MemoryPlan memory;
  std::optional<FileCacheUse> file_cache;
  MemoryFit fit;
  MachineLimits limits;
};

// A model may be planned by its config.json alone; weights that are there must be whole. Throws
// what the first command that computes would throw.
void LookAtWeights(const ModelFiles& files, Info& info) {
  uint64_t layers = info.counts.bytes.weights;
  std::vector<std::string> on_disk;
  if (files.HasWeights()) {
    const Checkpoint checkpoint = CheckModel(files);
    info.file_cache = LookAtFileCache(checkpoint);
    on_disk = FilesOnDisk(checkpoint);
    if (on_disk.empty()) layers = 0;  // they are in memory as it is
  }
  info.fit = MakeMemoryFit(layers, info.memory.total, info.counts.bytes.decode_token, on_disk);
}

Info Gather(const InfoOptions& options) {
  Info info;
  info.model = options.model;
  const ModelFiles files = OpenModel(options.model);
  info.config = ReadConfig(files);
  info.plan = PlanLayers(info.config);
  info.counts = CountModel(info.config, info.plan);
  if (options.context > info.config.max_positions) {
    throw Error(ErrorKind::kUsage,
                "--ctx: found " + std::to_string(options.context) + ", expected at most the " +
                    std::to_string(info.config.max_positions) + " positions of the model");
  }
  info.options.context = options.context == 0 ? info.config.max_positions : options.context;
  info.options.parallel = options.parallel;
  info.options.threads = simd::DefaultThreads();
  info.options.isa = AvailableIsas().front();
  info.options.chunk = std::min(info.options.chunk, info.options.context);  // as a session does
  info.memory = PlanMemory(info.config, info.plan, info.options);
  info.limits = FindMachineLimits();
  LookAtWeights(files, info);
  return info;
}

nlohmann::ordered_json ToJson(const Info& info) {
  const auto& parameters = info.counts.parameters;
  const auto& bytes = info.counts.bytes;
  nlohmann::ordered_json json;
  json["layers"] = info.config.layers;
  json["encoder_layers"] = info.plan.encoder_layers();
  json["parameters"] = {{"total", parameters.total},
                        {"engram", parameters.engram},
                        {"active_prefill", parameters.active_prefill},
                        {"active_decode", parameters.active_decode}};
  json["bytes"] = {{"weights", bytes.weights},
                   {"engram", bytes.engram},
                   {"decode_token", bytes.decode_token},
                   {"kv_per_token", bytes.kv_per_token},
                   {"windows_per_sequence", bytes.windows_per_sequence},
                   {"plan", info.memory.total}};
  json["isa"] = IsaName(info.options.isa);
  json["threads"] = info.options.threads;
  json["memory"] = MemoryLimitJson(info.limits);
  json["cpu_quota"] = CpuQuotaJson(info.limits);
  json["fit"] = FitJson(info.fit);
  if (const auto& cache = info.file_cache) {
    json["file_cache"] = {{"bytes", cache->bytes}, {"present_share", cache->present_share}};
    if (cache->places > 0) json["file_cache"]["huge_share"] = cache->huge_share;
  }
  return json;
}

// "  label            value"
std::string Line(const std::string& label, const std::string& value) {
  constexpr size_t kLabelWidth = 24;
  std::string line = "  " + label;
  line.resize(std::max(line.size() + 1, kLabelWidth), ' ');
  return line + value + "\n";
}

std::string BytesLine(const std::string& label, double bytes) {
  return Line(label, FormatBytes(bytes));
}

std::string ShapeText(const Info& info) {
  const ModelConfig& config = info.config;
  return "Model " + info.model + "\n" +
         Line("layers", std::to_string(config.layers) + " = " +
                            std::to_string(info.plan.encoder_layers()) + " + " +
                            std::to_string(info.plan.decoder_layers()) + " (encoder + decoder)") +
         Line("hidden",
              std::to_string(config.hidden) + " in " + std::to_string(config.hc) + " streams") +
         Line("attention", std::to_string(config.heads) + " heads of " +
                               std::to_string(config.head_dim) + ", window " +
                               std::to_string(config.window)) +
         Line("experts", std::to_string(config.experts) + " routed, " +
                             std::to_string(config.experts_per_token) + " chosen, 1 shared") +
         Line("vocabulary", std::to_string(config.vocab)) +
         Line("positions", std::to_string(config.max_positions));
}

std::string CostText(const ModelCounts& counts) {
  const auto& parameters = counts.parameters;
  const auto& bytes = counts.bytes;
  const auto count = [](uint64_t n) { return FormatCount(static_cast<double>(n)); };
  return "\nParameters\n" +
         Line("in all",
              count(parameters.total) + ", and " + count(parameters.engram) + " in Engram tables") +
         Line("active in", count(parameters.active_prefill) + " for a prompt token") +
         Line("active out", count(parameters.active_decode) + " for a generated token") +
         "\nBytes\n" + BytesLine("weights", static_cast<double>(bytes.weights)) +
         BytesLine("Engram tables", static_cast<double>(bytes.engram)) +
         BytesLine("read per new token", static_cast<double>(bytes.decode_token)) +
         BytesLine("global KV per token", bytes.kv_per_token) +
         BytesLine("windows per sequence", static_cast<double>(bytes.windows_per_sequence));
}

std::string MemoryText(const Info& info) {
  const MemoryPlan& memory = info.memory;
  const auto line = [](const char* label, size_t bytes) {
    return BytesLine(label, static_cast<double>(bytes));
  };
  return "\nMemory plan: " + std::to_string(info.options.parallel) + " x " +
         std::to_string(info.options.context) + " positions, " +
         std::string(ReplayName(info.options.replay)) + " replay; weights not counted\n" +
         line("windows", memory.windows) + line("global KV", memory.global_kv) +
         line("waiting", memory.pending) + line("token ids", memory.history) +
         line("a sequence", memory.sequence()) + line("scratch", memory.scratch) +
         line("in all", memory.total);
}

std::string FitLines(const MemoryFit& fit) {
  const auto line = [](const char* label, uint64_t bytes) {
    return BytesLine(label, static_cast<double>(bytes));
  };
  return "\nDoes it fit?\n" + line("layers", fit.layers) + line("memory plan", fit.plan) +
         line("needed", fit.layers + fit.plan) +
         (fit.room.bytes == 0 ? "" : line("available here", fit.room.bytes)) +
         Line("so it", FitText(fit));
}

std::string FileCacheText(const Info& info) {
  if (!info.file_cache) return "";
  const FileCacheUse& cache = *info.file_cache;
  const auto percent = [](double share) { return FormatFixed(100 * share, 0) + " %"; };
  const std::string pages =
      cache.places > 0 ? ", " + percent(cache.huge_share) + " of that on huge pages" : "";
  return Line("in memory now", percent(cache.present_share) + " of " +
                                   FormatBytes(static_cast<double>(cache.bytes)) +
                                   " of weight files" + pages);
}

const simd::Kernels& KernelsOf(const Info& info) { return simd::KernelsFor(info.options.isa); }

// What --numerics int8 does to this model.
std::string Int8Text(const Info& info) {
  if (info.config.expert_format == Format::kFp4) return KernelsOf(info).integer.name;
  const std::string stored = info.config.expert_format == Format::kFp8 ? "FP8" : "BF16";
  return "none: experts stored as " + stored + " compute as with reference";
}

std::string ThreadsText(const Info& info) {
  const size_t nodes = simd::NodesOf(simd::AllowedCores()).size();
  return std::to_string(info.options.threads) +
         (nodes < 2 ? "" : " on " + std::to_string(nodes) + " nodes of memory");
}

std::string MachineText(const Info& info) {
  const simd::Kernels& kernels = KernelsOf(info);
  std::string limits;
  for (const auto& [label, value] : LimitLines(info.limits)) limits += Line(label, value);
  return "\nMachine\n" + Line("instruction set", std::string(IsaName(info.options.isa))) +
         Line("prompt rows", kernels.prompt.name) + Line("generated rows", kernels.generated.name) +
         Line("with --numerics int8", Int8Text(info)) + Line("threads", ThreadsText(info)) +
         limits + FileCacheText(info);
}

}  // namespace

ExitCode Execute(const InfoOptions& options) {
  const Info info = Gather(options);
  Output::Standard().Write(options.json ? ToJson(info).dump(1) + "\n"
                                        : ShapeText(info) + LayerTable(info.config, info.plan) +
                                              CostText(info.counts) + MemoryText(info) +
                                              FitLines(info.fit) + MachineText(info));
  return kExitOk;
}

}  // namespace cedar
