// cedar verify: whether all files of a model are whole.

#include <chrono>
#include <optional>
#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/model_source.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/report.h"
#include "simd/error.h"
#include "weights/known_sums.h"
#include "weights/read_model.h"
#include "weights/verify.h"

namespace cedar {
namespace {

constexpr size_t kMega = 1000000;

std::string Plural(size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string Join(const std::vector<std::string>& texts, size_t most) {
  std::string joined;
  for (size_t i = 0; i < texts.size() && i < most; ++i) joined += (i > 0 ? ", " : "") + texts[i];
  return joined + (texts.size() > most ? ", ..." : "");
}

// What was looked at, and what nobody can tell.
std::string ReportText(const VerifyReport& report) {
  constexpr size_t kMostNames = 3;
  std::string text;
  for (const std::string& damage : report.damages) text += damage + "\n";
  if (report.damage_count > report.damages.size()) {
    text += "and " + std::to_string(report.damage_count - report.damages.size()) + " more\n";
  }
  text += "tensors: " + Plural(report.tensors, "tensor") + " in " +
          Plural(report.files, "weight file") + " of " +
          FormatBytes(static_cast<double>(report.bytes)) +
          ": names, shapes, types and values were looked at\nsums:    ";
  if (report.summed > 0) {
    text += Plural(report.summed, "file") + " compared (" + Join(report.sources, kMostNames) + ")";
  }
  if (!report.unsummed.empty()) {
    text += std::string(report.summed > 0 ? "; " : "") + "none known of " +
            Join(report.unsummed, kMostNames) +
            ", where wrong values that are numbers stay unseen (--sums)";
  }
  return text + "\nverdict: " +
         (report.damage_count == 0 ? "no damage" : Plural(report.damage_count, "damage")) + "\n";
}

// Prompts cannot be read without it.
void LookAtTokenizer(const ModelFiles& files, VerifyReport& report) {
  try {
    ReadTokenizer(files);
  } catch (const Error& damage) {
    report.damages.emplace_back(damage.what());
    ++report.damage_count;
  }
}

}  // namespace

ExitCode Execute(const VerifyOptions& options) {
  const ModelFiles files = OpenModel(options.model);
  const KnownSums sums = options.sums ? KnownSums::Read(*options.sums) : KnownSums();
  const simd::Workers workers(options.threads > 0 ? options.threads : simd::DefaultThreads(),
                              simd::Pinning::kNone);
  std::optional<ProgressLine> line;
  const auto start = std::chrono::steady_clock::now();
  VerifyReport report = Verify(files, sums, workers, [&](size_t done, size_t total) {
    CheckInterrupt();
    if (!line) line.emplace("verify", "MB", total / kMega);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    line->Update(done / kMega, FormatBytes(static_cast<double>(done) / seconds.count()) + "/s");
  });
  line.reset();
  LookAtTokenizer(files, report);
  Output::Standard().Write(ReportText(report));
  return report.damage_count == 0 ? kExitOk : kExitModel;
}

}  // namespace cedar
