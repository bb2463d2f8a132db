// cedar score: what the model thinks of given text. Tests and outside checks compare its numbers
// with the oracle's.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/load_engine.h"
#include "app/logits_file.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/text_input.h"
#include "engine/engine.h"
#include "engine/sampler.h"

namespace cedar {
namespace {

std::vector<int32_t> ReadIds(const ScoreOptions& options, const Engine& engine) {
  if (options.ids_file)
    return ParseIds(ReadFile(*options.ids_file), *options.ids_file, engine.config().vocab);
  const std::string text = ReadFile(*options.text_file);
  CheckUtf8(text, *options.text_file);
  if (text.empty()) throw Error(ErrorKind::kInput, *options.text_file + ": empty, expected text");
  return EncodeNaming(*options.text_file,
                      [&] { return engine.tokenizer().EncodeWithControl(text); });
}

void CheckLength(std::span<const int32_t> ids, const ModelConfig& config) {
  if (ids.size() <= config.max_positions) return;
  throw Error(ErrorKind::kInput,
              "found " + std::to_string(ids.size()) + " tokens, expected at most the " +
                  std::to_string(config.max_positions) + " positions of the model");
}

struct Scores {
  size_t tokens = 0;
  std::vector<double> logprobs;  // of each token after the first; none unless replay is full

  // Nothing to take the mean of: nothing.
  std::optional<double> Nll() const {
    if (logprobs.empty()) return std::nullopt;
    double sum = 0;
    for (const double logprob : logprobs) sum += logprob;
    return -sum / static_cast<double>(logprobs.size());
  }
};

Scores ScoreEveryToken(Session& session, std::span<const int32_t> ids, LogitsFile* file) {
  Scores scores{ids.size(), {}};
  ProgressLine progress("score", "tokens", ids.size());
  session.Score(ids, [&](size_t position, std::span<const float> logits) {
    CheckInterrupt();
    if (file) file->Append(logits);
    if (position + 1 < ids.size()) {
      scores.logprobs.push_back(LogProb(logits, ids[position + 1]));
    }
    progress.Update(position + 1);
  });
  return scores;
}

// The ids as one prompt: only its last position has logits.
Scores ScorePrompt(Session& session, std::span<const int32_t> ids, LogitsFile* file) {
  ProgressLine progress("prefill", "tokens", ids.size());
  session.Prefill(ids, true, [&](size_t done) {
    CheckInterrupt();
    progress.Update(done);
  });
  if (file) file->Append(session.logits());
  return {ids.size(), {}};
}

nlohmann::ordered_json ToJson(const Scores& scores, Replay replay, Isa isa) {
  const auto nll = scores.Nll();
  nlohmann::ordered_json json;
  json["tokens"] = scores.tokens;
  json["logprobs"] = scores.logprobs;
  json["nll"] = nll ? nlohmann::ordered_json(*nll) : nlohmann::ordered_json();
  json["perplexity"] = nll ? nlohmann::ordered_json(std::exp(*nll)) : nlohmann::ordered_json();
  json["replay"] = ReplayName(replay);
  json["isa"] = IsaName(isa);
  return json;
}

// A line for each token after the first (position, id, log-probability), then the perplexity.
std::string ToText(const Scores& scores, std::span<const int32_t> ids) {
  std::string text;
  for (size_t i = 0; i < scores.logprobs.size(); ++i) {
    text += std::to_string(i + 1) + " " + std::to_string(ids[i + 1]) + " " +
            std::to_string(scores.logprobs[i]) + "\n";
  }
  if (const auto nll = scores.Nll()) text += "perplexity " + std::to_string(std::exp(*nll)) + "\n";
  return text;
}

}  // namespace

ExitCode Execute(const ScoreOptions& options) {
  const ComputeOptions& compute = options.compute;
  const Engine engine = LoadEngine(options.model, compute);
  const std::vector<int32_t> ids = ReadIds(options, engine);
  CheckLength(ids, engine.config());
  Session session(engine, {ids.size(), compute.chunk, compute.replay});

  const bool every = compute.replay == Replay::kFull;
  std::optional<LogitsFile> file;
  if (options.logits_file) {
    file.emplace(*options.logits_file, every ? ids.size() : 1, engine.config().vocab);
  }
  LogitsFile* const sink = file ? &*file : nullptr;
  const Scores scores =
      every ? ScoreEveryToken(session, ids, sink) : ScorePrompt(session, ids, sink);
  if (file) file->Finish();
  Output::Standard().Write(options.json ? ToJson(scores, compute.replay, engine.isa()).dump() + "\n"
                                        : ToText(scores, ids));
  return kExitOk;
}

}  // namespace cedar
