// cedar synth: a checkpoint of random weights, for measuring without the released ones.

#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "app/text_input.h"
#include "weights/synthetic_checkpoint.h"

namespace cedar {

ExitCode Execute(const SynthOptions& options) {
  const std::string config = options.config ? ReadFile(*options.config) : SliceConfig();
  const SyntheticModel model =
      MakeSyntheticModel(config, options.config.value_or("slice"), options.shape);
  constexpr size_t kMegabyte = 1000000;
  std::optional<ProgressLine> line;
  WriteSyntheticCheckpoint(options.directory, model, options.seed, [&](size_t done, size_t total) {
    CheckInterrupt();
    if (!line) line.emplace("synth", "MB", total / kMegabyte);
    line->Update(done / kMegabyte);
  });
  return kExitOk;
}

}  // namespace cedar
