// Whole-model speed of llama.cpp's library: prefill of a prompt of random tokens, then generated
// ones, as JSON on standard output. Built by perf/compare.sh.
//
//   llama_run MODEL.gguf THREADS PROMPT GENERATED REPETITIONS

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "perf/peers/ggml.h"
#include "simd/memory.h"
#include "simd/team_probes.h"

namespace {

constexpr int kVocab = 4096;  // of gguf_slice

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "llama_run: %s\n", what);
  std::exit(1);
}

// Where the two thread counts stand in the parameters of a context: the first equal neighbours
// behind its sizes, all of which must have the defaults that this layout has.
size_t ThreadsWord(const llama_params& params) {
  const uint32_t* w = params.words;
  if (w[0] != 512 || w[1] != 2048 || w[2] != 512 || w[3] != 1) Fail("unknown parameters");
  for (size_t i = 4; i < 10; ++i) {
    if (w[i] > 0 && w[i] <= 512 && w[i] == w[i + 1]) return i;
  }
  Fail("no thread counts in the parameters");
}

void* NewContext(void* model, uint32_t threads, uint32_t prompt, uint32_t generated) {
  llama_params params = llama_context_default_params();
  const size_t at = ThreadsWord(params);
  params.words[0] = (prompt + generated + 255) / 256 * 256;    // positions
  params.words[1] = std::max<uint32_t>(prompt, 32);            // tokens of a batch,
  params.words[2] = std::min<uint32_t>(params.words[1], 512);  // and those computed together
  params.words[at] = params.words[at + 1] = threads;
  void* const context = llama_init_from_model(model, params);
  if (context == nullptr) Fail("no context");
  return context;
}

void Decode(void* context, int32_t* tokens, int32_t n) {
  if (llama_decode(context, llama_batch_get_one(tokens, n)) != 0) Fail("llama_decode failed");
  llama_synchronize(context);
}

std::vector<int32_t> RandomTokens(int32_t n) {
  static std::mt19937 random(1);
  std::vector<int32_t> tokens(static_cast<size_t>(n));
  for (int32_t& token : tokens) token = static_cast<int32_t>(random() % kVocab);
  return tokens;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Figures {
  std::vector<double> prefill, decode, read;  // tokens, tokens and bytes a second
};

class OwnRead {
 public:
  explicit OwnRead(int threads)
      : workers_(threads, cedar::simd::Pinning::kNone),  // or the library's threads were bound too
        probes_(cedar::AvailableIsas().front(), workers_),
        memory_(size_t{1} << 30, "memory to read") {
    std::memset(memory_.data(), 1, memory_.bytes());
  }
  // After the library's threads have stopped to spin.
  double Speed() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const cedar::simd::Bytes bytes(memory_.data(), memory_.bytes());
    std::vector<double> speeds;
    for (int i = 0; i < 5; ++i) speeds.push_back(probes_.ReadSpeed({&bytes, 1}));
    return Median(speeds);
  }

 private:
  cedar::simd::Workers workers_;
  cedar::simd::TeamProbes probes_;
  cedar::simd::Memory memory_;
};

void RunOnce(void* context, int32_t prompt, int32_t generated, const OwnRead& read,
             Figures& figures) {
  llama_memory_clear(llama_get_memory(context), true);
  std::vector<int32_t> tokens = RandomTokens(prompt);
  Clock::time_point start = Clock::now();
  Decode(context, tokens.data(), prompt);
  const double prefill = Since(start);
  const double before = read.Speed();
  tokens = RandomTokens(generated);
  start = Clock::now();
  for (int32_t& token : tokens) Decode(context, &token, 1);
  const double decode = Since(start);
  const double after = read.Speed();
  figures.prefill.push_back(prompt / prefill);
  if (generated > 0) figures.decode.push_back(generated / decode);
  figures.read.push_back((before + after) / 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) Fail("expected MODEL.gguf THREADS PROMPT GENERATED REPETITIONS");
  const int threads = std::atoi(argv[2]), prompt = std::atoi(argv[3]);
  const int generated = std::atoi(argv[4]), repetitions = std::atoi(argv[5]);
  const Clock::time_point start = Clock::now();
  const auto silent = [](int, const char*, void*) {};
  ggml_log_set(silent, nullptr);
  llama_log_set(silent, nullptr);
  ggml_backend_load_all_from_path(CEDAR_PEER_FOLDER);
  llama_backend_init();
  void* const model = llama_model_load_from_file(argv[1], llama_model_default_params());
  if (model == nullptr) Fail("no model");
  void* const context = NewContext(model, static_cast<uint32_t>(threads),
                                   static_cast<uint32_t>(prompt), static_cast<uint32_t>(generated));
  std::vector<int32_t> first = RandomTokens(32);
  Decode(context, first.data(), 32);
  const double first_token = Since(start);

  const OwnRead read(threads);
  Figures figures;
  for (int i = 0; i < repetitions; ++i) RunOnce(context, prompt, generated, read, figures);
  std::printf(
      "{\"threads\": %d, \"n_prompt\": %d, \"n_gen\": %d, \"prefill_tokens_per_s\": %.3f, "
      "\"decode_tokens_per_s\": %.3f, \"own_read\": %.4g, \"first_token_s\": %.3f}\n",
      threads, prompt, generated, Median(figures.prefill), Median(figures.decode),
      Median(figures.read), first_token);
  return 0;
}
