#include "app/options.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>

#include "app/batch_options.h"
#include "app/bench_options.h"
#include "app/option_adders.h"
#include "app/option_values.h"
#include "simd/error.h"

namespace cedar {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
constexpr uint64_t kMostTopK = std::numeric_limits<int>::max();

CLI::App* AddInfo(CLI::App& app, InfoOptions& options) {
  CLI::App* info = app.add_subcommand("info", "Show what a model is and what it costs to run");
  AddModel(*info, options.model);
  Add(*info, "--ctx", "N", "Positions of a sequence (all that the model holds)",
      [&](const std::string& text) { options.context = ParseCount("--ctx", text, 1, kMost); });
  Add(*info, "--parallel", "N", "Sequences at once (1)", [&](const std::string& text) {
    options.parallel = ParseCount("--parallel", text, 1, kMost);
  });
  info->add_flag("--json", options.json, "As JSON");
  return info;
}

void AddPrompt(CLI::App& run, RunOptions& options) {
  CLI::Option* prompt = AddProse(run, "-p", "TEXT", "The prompt", options.prompt);
  AddText(run, "-f", "FILE",
          "A file with the prompt (standard input); a final newline is no part of it",
          options.prompt_file)
      ->excludes(prompt);
  CLI::Option* system = AddProse(run, "--system", "TEXT", "A system prompt", options.system);
  CLI::Option* effort =
      Add(run, "--effort", "N", "How much to think: 1 to 100, low, high or max (75)",
          [&](const std::string& text) { options.effort = ParseEffort("--effort", text); });
  CLI::Option* no_think = run.add_flag_callback(
      "--no-think", [&] { options.effort.reset(); }, "Answer without thinking");
  no_think->excludes(effort);
  CLI::Option* max_thinking =
      AddCount(run, "--max-thinking", "N", "Most tokens to think before the answer is forced", 0,
               options.max_thinking);
  run.add_flag("--raw", options.raw, "Take the prompt as it is, control tokens included")
      ->excludes(system)
      ->excludes(max_thinking)
      ->excludes(effort)
      ->excludes(no_think);
}

CLI::App* AddRun(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand("run", "Answer one prompt");
  AddModel(*run, options.model);
  AddPrompt(*run, options);
  AddText(*run, "--json-schema", "FILE", "The answer is JSON that this schema describes",
          options.json_schema);
  AddCount(*run, "-n,--max-tokens", "N", "Most tokens to generate (until the end)", 1,
           options.max_tokens);
  AddReal(*run, "--temperature", "0: always the likeliest token (1)", kTemperatureRange,
          options.sampling.temperature);
  AddReal(*run, "--top-p", "Only the likeliest tokens that hold this mass (0.95)", kTopPRange,
          options.sampling.top_p);
  Add(*run, "--top-k", "N", "Only the N likeliest tokens (0: off)", [&](const std::string& text) {
    options.sampling.top_k = static_cast<int>(ParseCount("--top-k", text, 0, kMostTopK));
  });
  AddReal(*run, "--min-p", "Only tokens this likely, as a share of the likeliest (0: off)",
          kMinPRange, options.sampling.min_p);
  Add(*run, "--seed", "N", "Seed of the draws (drawn, and said on standard error)",
      [&](const std::string& text) {
        options.seed = ParseCount("--seed", text, 0, std::numeric_limits<uint64_t>::max());
      });
  AddCompute(*run, options.compute);
  return run;
}

CLI::App* AddVerify(CLI::App& app, VerifyOptions& options) {
  CLI::App* verify = app.add_subcommand(
      "verify", "Read all of a model's files and say what is damaged; exits 3 if anything is");
  AddModel(*verify, options.model);
  AddText(*verify, "--sums", "FILE",
          "SHA-256 sums as sha256sum writes them, a Git LFS pointer or a folder of them (what the "
          "hub's downloader noted, or the names of blobs in the hub's cache)",
          options.sums);
  AddThreads(*verify, options.threads);
  return verify;
}

CLI::App* AddScore(CLI::App& app, ScoreOptions& options) {
  CLI::App* score = app.add_subcommand("score", "Log-probabilities of given text");
  AddModel(*score, options.model);
  AddText(*score, "--ids", "FILE", "Token ids, separated by white space", options.ids_file);
  AddText(*score, "--text", "FILE", "Text, encoded as cedar tokenize does", options.text_file);
  AddText(*score, "--logits", "OUT", "A safetensors file for the logits", options.logits_file);
  score->add_flag("--json", options.json, "As JSON");
  AddCompute(*score, options.compute);
  return score;
}

CLI::App* AddSynth(CLI::App& app, SynthOptions& options) {
  CLI::App* synth = app.add_subcommand(
      "synth", "Write a checkpoint of random weights in the released layout and widths");
  synth->add_option("OUT", options.directory, "The folder to make")->required()->type_name("");
  CLI::Option* preset = synth->add_option_function<std::string>(
      "--preset",
      [](const std::string& name) {
        if (name != "slice") {
          throw Error(ErrorKind::kUsage, "--preset: found \"" + name + "\", expected slice");
        }
      },
      "slice: the release's widths in 8 layers with 32 experts, under 8 GB");
  preset->type_name("NAME");
  AddText(*synth, "--config", "FILE", "Any config.json of this family", options.config)
      ->excludes(preset);
  synth->callback([synth, &options] {
    if (synth->count("--preset") == 0 && !options.config) {
      throw Error(ErrorKind::kUsage, "synth: expected --preset slice or --config FILE");
    }
  });
  AddCount(*synth, "--experts", "N", "Routed experts", 1, options.shape.experts);
  AddCount(*synth, "--layers", "N", "Layers, half of them encoder", 4, options.shape.layers);
  AddCount(*synth, "--vocab", "N", "Vocabulary", 1, options.shape.vocab);
  Add(*synth, "--seed", "N", "Seed of the weights (0)", [&](const std::string& text) {
    options.seed = ParseCount("--seed", text, 0, std::numeric_limits<uint64_t>::max());
  });
  return synth;
}

void CheckScore(const ScoreOptions& options) {
  if (options.ids_file.has_value() == options.text_file.has_value()) {
    throw Error(ErrorKind::kUsage, "score: expected exactly one of --ids and --text");
  }
  if (options.compute.replay != Replay::kFull && !options.logits_file) {
    throw Error(ErrorKind::kUsage,
                "--replay: found " + std::string(ReplayName(options.compute.replay)) +
                    " without --logits, but only full replay has a logit row for "
                    "each token; expected --logits OUT.safetensors");
  }
}

// All commands and the values that the command line gave them.
class Parser {
 public:
  Parser() {
    app_.set_version_flag("--version", "cedar " CEDAR_VERSION);
    app_.require_subcommand(0, 1);
    app_.footer(
        "MODEL is the folder of a checkpoint, or demo: the built-in model.\n"
        "More on a command: cedar COMMAND --help\n"
        "Exit codes: 0 all right; 1 some requests failed, or the input is bad; 2 the command line, "
        "answers\nthat another one has made, or more --memory than there is; 3 the model: not "
        "there, damaged (verify\ntoo), or more than the memory holds; 130 stopped by Ctrl-C, "
        "SIGTERM or SIGHUP.");
  }

  CommandLine Parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return {{}, app_.help()};
    } catch (const CLI::CallForVersion&) {
      return {{}, app_.version() + "\n"};
    } catch (const CLI::ParseError& error) {
      throw Error(ErrorKind::kUsage, error.what());
    }
    return {Chosen(), ""};
  }

 private:
  Command Chosen() const {
    if (info_command_->parsed()) return info_;
    if (run_command_->parsed()) return run_;
    if (tokenize_command_->parsed()) return tokenize_;
    if (detokenize_command_->parsed()) return detokenize_;
    if (batch_command_->parsed()) {
      CheckBatch(batch_);
      return batch_;
    }
    if (bench_command_->parsed()) {
      CheckBench(bench_);
      return bench_;
    }
    if (synth_command_->parsed()) return synth_;
    if (verify_command_->parsed()) return verify_;
    if (!score_command_->parsed()) {
      throw Error(ErrorKind::kUsage,
                  "expected a command: info, verify, run, score, tokenize, detokenize, batch, "
                  "bench or synth (see cedar --help)");
    }
    CheckScore(score_);
    return score_;
  }

  CLI::App* AddTokenCommand(const char* name, const char* help, std::string& model) {
    CLI::App* command = app_.add_subcommand(name, help);
    AddModel(*command, model);
    return command;
  }

  CLI::App* AddTokenize() {
    CLI::App* command = AddTokenCommand("tokenize", "Standard input to token ids", tokenize_.model);
    command->add_flag("--chat", tokenize_.chat,
                      "Standard input is the body of a request: the ids of its prompt");
    return command;
  }

  CLI::App app_{"Cedar runs DeepSeek-V4.1-Flash on CPUs", "cedar"};
  InfoOptions info_;
  RunOptions run_;
  ScoreOptions score_;
  TokenizeOptions tokenize_;
  DetokenizeOptions detokenize_;
  BatchOptions batch_;
  BenchOptions bench_;
  SynthOptions synth_;
  VerifyOptions verify_;
  CLI::App* info_command_ = AddInfo(app_, info_);
  CLI::App* verify_command_ = AddVerify(app_, verify_);
  CLI::App* run_command_ = AddRun(app_, run_);
  CLI::App* score_command_ = AddScore(app_, score_);
  CLI::App* tokenize_command_ = AddTokenize();
  CLI::App* detokenize_command_ = AddTokenCommand(
      "detokenize", "Token ids on standard input to their bytes", detokenize_.model);
  CLI::App* batch_command_ = AddBatch(app_, batch_);
  CLI::App* bench_command_ = AddBench(app_, bench_);
  CLI::App* synth_command_ = AddSynth(app_, synth_);
};

}  // namespace

CommandLine ParseCommandLine(int argc, const char* const* argv) {
  return Parser().Parse(argc, argv);
}

}  // namespace cedar
