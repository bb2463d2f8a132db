#include "app/options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simd/error.h"
#include "simd/isa.h"

namespace cedar {
namespace {

CommandLine Parse(const std::vector<const char*>& arguments) {
  std::vector<const char*> argv{"cedar"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data());
}

template <typename Options>
Options ParseAs(const std::vector<const char*>& arguments) {
  return std::get<Options>(Parse(arguments).command.value());
}

// The message of the usage error, or "" if there was none.
std::string UsageError(const std::vector<const char*>& arguments) {
  try {
    Parse(arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

TEST(OptionsTest, RunHasTheDefaultsOfTheRelease) {
  const auto run = ParseAs<RunOptions>({"run", "m"});
  EXPECT_EQ(run.model, "m");
  EXPECT_EQ(run.effort, 75);
  EXPECT_EQ(run.sampling.temperature, 1.0);
  EXPECT_EQ(run.sampling.top_p, 0.95);
  EXPECT_EQ(run.sampling.top_k, 0);
  EXPECT_EQ(run.sampling.min_p, 0.0);
  EXPECT_EQ(run.compute.replay, Replay::kBounded);
  EXPECT_EQ(run.compute.chunk, kDefaultChunk);
  EXPECT_EQ(run.compute.threads, 0);
  EXPECT_EQ(run.compute.pinning, simd::Pinning::kCores);
  EXPECT_EQ(run.compute.numerics, Numerics::kReference);
  EXPECT_FALSE(run.compute.isa || run.seed || run.max_tokens || run.prompt || run.prompt_file ||
               run.system || run.raw);
}

TEST(OptionsTest, RunTakesEveryOption) {
  const auto run = ParseAs<RunOptions>({"run",
                                        "m",
                                        "-p",
                                        "--why?",
                                        "--system",
                                        "[a,b]",
                                        "--effort",
                                        "low",
                                        "--max-tokens",
                                        "9",
                                        "--max-thinking",
                                        "0",
                                        "--temperature",
                                        "0",
                                        "--top-p",
                                        "1",
                                        "--top-k",
                                        "4",
                                        "--min-p",
                                        "0.5",
                                        "--seed",
                                        "18446744073709551615",
                                        "--replay",
                                        "exact",
                                        "--threads",
                                        "2",
                                        "--no-pin",
                                        "--weights",
                                        "hugepages",
                                        "--chunk",
                                        "7",
                                        "--numerics",
                                        "int8",
                                        "--isa",
                                        "reference"});
  EXPECT_EQ(run.prompt, "--why?");  // a value may look like an option
  EXPECT_EQ(run.system, "[a,b]");
  EXPECT_EQ(run.effort, 50);
  EXPECT_EQ(run.max_tokens, 9u);
  EXPECT_EQ(run.max_thinking, 0u);
  EXPECT_EQ(ParseAs<RunOptions>({"run", "m", "-n", "8"}).max_tokens, 8u);
  EXPECT_EQ(run.sampling.temperature, 0.0);
  EXPECT_EQ(run.sampling.top_p, 1.0);
  EXPECT_EQ(run.sampling.top_k, 4);
  EXPECT_EQ(run.sampling.min_p, 0.5);
  EXPECT_EQ(run.seed, 18446744073709551615u);
  EXPECT_EQ(run.compute.replay, Replay::kExact);
  EXPECT_EQ(run.compute.threads, 2);
  EXPECT_EQ(run.compute.pinning, simd::Pinning::kNone);
  EXPECT_EQ(run.compute.weights, WeightPlace::kHugePages);
  EXPECT_EQ(run.compute.chunk, 7u);
  EXPECT_EQ(run.compute.numerics, Numerics::kInt8);
  EXPECT_EQ(run.compute.isa, Isa::kReference);
}

TEST(OptionsTest, AnEmptyPromptIsGiven) {
  EXPECT_EQ(ParseAs<RunOptions>({"run", "m", "-p", ""}).prompt, "");
}

TEST(OptionsTest, ThinkingIsAnEffortOrOff) {
  EXPECT_EQ(ParseAs<RunOptions>({"run", "m", "--effort", "max"}).effort, 100);
  EXPECT_EQ(ParseAs<RunOptions>({"run", "m", "--effort", "high"}).effort, 75);
  EXPECT_EQ(ParseAs<RunOptions>({"run", "m", "--effort", "1"}).effort, 1);
  EXPECT_FALSE(ParseAs<RunOptions>({"run", "m", "--no-think"}).effort);
}

TEST(OptionsTest, ScoreIsFullByDefault) {
  const auto score = ParseAs<ScoreOptions>({"score", "m", "--ids", "f"});
  EXPECT_EQ(score.compute.replay, Replay::kFull);
  EXPECT_EQ(score.ids_file, "f");
  EXPECT_FALSE(score.text_file || score.logits_file || score.json);
}

TEST(OptionsTest, OtherCommands) {
  const auto info =
      ParseAs<InfoOptions>({"info", "m", "--ctx", "100", "--parallel", "3", "--json"});
  EXPECT_EQ(info.context, 100u);
  EXPECT_EQ(info.parallel, 3u);
  EXPECT_TRUE(info.json);
  EXPECT_EQ(ParseAs<TokenizeOptions>({"tokenize", "m"}).model, "m");
  EXPECT_EQ(ParseAs<DetokenizeOptions>({"detokenize", "m"}).model, "m");
  const auto batch = ParseAs<BatchOptions>({"batch", "m", "-i", "in", "-o", "out"});
  EXPECT_EQ(batch.input, "in");
  EXPECT_EQ(batch.output, "out");
}

TEST(OptionsTest, HelpAndVersionAreText) {
  EXPECT_EQ(Parse({"--version"}).text.rfind("cedar ", 0), 0u);
  for (const char* command : {"info", "run", "score", "tokenize", "detokenize", "batch"}) {
    EXPECT_NE(Parse({"--help"}).text.find(command), std::string::npos);
    EXPECT_NE(Parse({command, "--help"}).text.find("MODEL"), std::string::npos);
  }
}

TEST(OptionsTest, AnErrorNamesTheOptionWhatWasFoundAndWhatWasExpected) {
  EXPECT_EQ(UsageError({"run", "m", "--chunk", "0"}),
            "--chunk: found \"0\", expected a whole number from 1 to 65536");
  EXPECT_EQ(UsageError({"run", "m", "--top-p", "1.5"}),
            "--top-p: found \"1.5\", expected a number above 0, at most 1");
  EXPECT_NE(UsageError({"run", "m", "--isa", "mmx"}).find("reference"), std::string::npos);
}

TEST(OptionsTest, RefusesWhatIsNotAllowed) {
  // Command lines, and what the message must name.
  const std::vector<std::pair<std::vector<const char*>, std::string>> kBad{
      {{}, "a command"},
      {{"frobnicate"}, "frobnicate"},
      {{"run"}, "MODEL"},
      {{"info"}, "MODEL"},
      {{"batch", "m"}, "-i"},
      {{"batch", "m", "-i", "in"}, "-o"},
      {{"run", "m", "--frobnicate"}, "--frobnicate"},
      {{"run", "m", "extra"}, "extra"},
      {{"run", "m", "-p"}, "-p"},
      {{"run", "m", "-p", "a", "-f", "b"}, "-f"},
      {{"run", "m", "-p", "a", "-p", "b"}, "-p"},
      {{"run", "m", "--effort", "0"}, "--effort"},
      {{"run", "m", "--effort", "101"}, "--effort"},
      {{"run", "m", "--effort", "none"}, "--effort"},
      {{"run", "m", "--effort", "50", "--no-think"}, "--no-think"},
      {{"run", "m", "--raw", "--no-think"}, "--no-think"},
      {{"run", "m", "--raw", "--system", "s"}, "--system"},
      {{"run", "m", "--raw", "--max-thinking", "3"}, "--max-thinking"},
      {{"run", "m", "--max-thinking", "-1"}, "--max-thinking"},
      {{"run", "m", "-n", "0"}, "-n"},
      {{"run", "m", "-n", "1", "--max-tokens", "2"}, "--max-tokens"},
      {{"run", "m", "-n", "many"}, "-n"},
      {{"run", "m", "--temperature", "-1"}, "--temperature"},
      {{"run", "m", "--temperature", "nan"}, "--temperature"},
      {{"run", "m", "--temperature", "inf"}, "--temperature"},
      {{"run", "m", "--temperature", "1x"}, "--temperature"},
      {{"run", "m", "--top-p", "0"}, "--top-p"},
      {{"run", "m", "--top-k", "-1"}, "--top-k"},
      {{"run", "m", "--min-p", "1.01"}, "--min-p"},
      {{"run", "m", "--seed", "-1"}, "--seed"},
      {{"run", "m", "--seed", "18446744073709551616"}, "--seed"},
      {{"run", "m", "--replay", "some"}, "--replay"},
      {{"run", "m", "--threads", "0"}, "--threads"},
      {{"run", "m", "--weights", "disk"}, "--weights"},
      {{"run", "m", "--threads", "1e3"}, "--threads"},
      {{"run", "m", "--json"}, "--json"},
      {{"score", "m"}, "--ids"},
      {{"score", "m", "--ids", "a", "--text", "b"}, "--text"},
      {{"score", "m", "--ids", "a", "--replay", "bounded"}, "--replay"},
      {{"score", "m", "--ids", "a", "--replay", "exact"}, "--replay"},
      {{"info", "m", "--ctx", "0"}, "--ctx"},
      {{"info", "m", "--parallel", "0"}, "--parallel"},
  };
  for (const auto& [arguments, name] : kBad) {
    std::string line;
    for (const char* argument : arguments) line += std::string(" ") + argument;
    const std::string message = UsageError(arguments);
    EXPECT_NE(message.find(name), std::string::npos) << "cedar" << line << ": " << message;
  }
}

// There is no CPU that has both x86 and Arm instructions.
TEST(OptionsTest, RefusesAnIsaThatThisCpuLacks) {
  const bool x86 = AvailableIsas().front() < Isa::kNeon;
  const std::string message = UsageError({"run", "m", "--isa", x86 ? "sve2" : "avx2"});
  for (const Isa isa : AvailableIsas()) {
    EXPECT_NE(message.find(IsaName(isa)), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace cedar
