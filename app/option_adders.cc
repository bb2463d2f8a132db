#include "app/option_adders.h"

#include <limits>

#include "app/text_input.h"

namespace cedar {
namespace {

constexpr uint64_t kMostThreads = 1024;
constexpr uint64_t kMostChunk = 1 << 16;

}  // namespace

CLI::Option* Add(CLI::App& app, const std::string& names, const char* value,
                 const std::string& help, std::function<void(const std::string&)> take) {
  return app.add_option_function<std::string>(names, take, help)->type_name(value);
}

void AddModel(CLI::App& app, std::string& model) {
  app.add_option("MODEL", model, "Folder of a checkpoint, or demo: the built-in model")
      ->required()
      ->type_name("");
}

CLI::Option* AddText(CLI::App& app, const std::string& names, const char* value,
                     const std::string& help, std::optional<std::string>& text) {
  return Add(app, names, value, help, [&text](const std::string& given) { text = given; });
}

CLI::Option* AddProse(CLI::App& app, const std::string& names, const char* value,
                      const std::string& help, std::optional<std::string>& text) {
  return Add(app, names, value, help, [&text, names](const std::string& given) {
    CheckUtf8(given, names);
    text = given;
  });
}

void AddReal(CLI::App& app, const std::string& name, const std::string& help,
             const RealRange& range, double& value) {
  Add(app, name, "X", help,
      [=, &value](const std::string& text) { value = ParseReal(name, text, range); });
}

void AddThreads(CLI::App& app, int& threads) {
  Add(app, "--threads", "N",
      "Threads (one for each physical core, no more than a CPU quota allows)",
      [&](const std::string& text) {
        threads = static_cast<int>(ParseCount("--threads", text, 1, kMostThreads));
      });
}

void AddCompute(CLI::App& app, ComputeOptions& compute) {
  Add(app, "--replay", "MODE",
      "What the decoder half sees of a prompt: bounded, exact or full (" +
          std::string(ReplayName(compute.replay)) + ")",
      [&](const std::string& text) { compute.replay = ParseReplayOption("--replay", text); });
  AddThreads(app, compute.threads);
  app.add_flag_callback(
      "--no-pin", [&] { compute.pinning = simd::Pinning::kNone; },
      "Let threads move between cores");
  Add(app, "--weights", "PLACE",
      "mmap: where they lie in the files; hugepages: read into memory first (mmap; hugepages for a "
      "batch from a file that is long enough to gain by it, if they fit easily)",
      [&](const std::string& text) { compute.weights = ParseWeightPlace("--weights", text); });
  Add(app, "--chunk", "N",
      "Prompt tokens computed together (" + std::to_string(compute.chunk) + ")",
      [&](const std::string& text) { compute.chunk = ParseCount("--chunk", text, 1, kMostChunk); });
  Add(app, "--numerics", "MODE",
      "What activations become before FP4 weights: reference, which is FP8 as published, or int8 "
      "(reference)",
      [&](const std::string& text) { compute.numerics = ParseNumericsOption("--numerics", text); });
  Add(app, "--isa", "NAME",
      "Instruction set: reference, avx2, avx3_dl, avx3_zen4, avx3_spr, neon, sve or sve2 (the best "
      "of this CPU)",
      [&](const std::string& text) { compute.isa = ParseIsaOption("--isa", text); });
}

CLI::Option* AddCount(CLI::App& app, const std::string& name, const char* value,
                      const std::string& help, uint64_t least, std::optional<size_t>& count) {
  return Add(app, name, value, help, [=, &count](const std::string& text) {
    count = ParseCount(name, text, least, std::numeric_limits<uint32_t>::max());
  });
}

}  // namespace cedar
