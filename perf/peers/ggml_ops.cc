// Operators of llama.cpp's ggml at the released widths, measured as our own are (perf/shares.h):
// the same probes in the same process, medians. Built by perf/compare.sh.
//
// Experts: gate, up and down of 6 of 64 experts in MXFP4, repacked as llama.cpp does by default;
// activations are random between them. Projections: Q8_0, which is what people have for FP8.
// Attention: 640 rows in F16, shared by 64 heads of 512.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "perf/peers/ggml.h"
#include "perf/shares.h"
#include "simd/error.h"
#include "simd/memory.h"

namespace cedar::perf {
namespace {

constexpr int64_t kHidden = 5120, kInner = 2304, kExperts = 64, kChosen = 6, kTokens = 512;
constexpr int64_t kHeads = 64, kHeadDim = 512, kRows = 640;
constexpr size_t kStreamed = size_t{600} << 20;

struct Peer {
  void* backend;
  void* plain;     // how weights are kept: as in the file,
  void* repacked;  // or as its own kernels want them; plain where there is none
  void (*set_threads)(void* backend, int threads);
};

Peer LoadPeer() {
  ggml_log_set([](int, const char*, void*) {}, nullptr);
  ggml_backend_load_all_from_path(CEDAR_PEER_FOLDER);
  void* const device = ggml_backend_dev_by_type(0);
  CEDAR_CHECK(device != nullptr);
  void* const registry = ggml_backend_dev_backend_reg(device);
  Peer peer{ggml_backend_dev_init(device, nullptr), ggml_backend_dev_buffer_type(device), nullptr,
            reinterpret_cast<void (*)(void*, int)>(
                ggml_backend_reg_get_proc_address(registry, "ggml_backend_set_n_threads"))};
  peer.repacked = peer.plain;
  const auto extra = reinterpret_cast<void** (*)(void*)>(
      ggml_backend_reg_get_proc_address(registry, "ggml_backend_dev_get_extra_bufts"));
  for (void** type = extra(device); type != nullptr && *type != nullptr; ++type) {
    if (std::strstr(ggml_backend_buft_name(*type), "REPACK") != nullptr) peer.repacked = *type;
  }
  return peer;
}

const Peer& ThePeer() {
  static const Peer peer = LoadPeer();
  return peer;
}

// Memory for the read probe: the peer's own pages are not to be had.
const simd::Memory& ReadMemory() {
  static const simd::Memory memory = [] {
    simd::Memory bytes(size_t{1} << 30, "memory to read");
    std::memset(bytes.data(), 1, bytes.bytes());
    return bytes;
  }();
  return memory;
}

size_t BlockBytes(ggml_type type) { return type == GGML_TYPE_Q8_0 ? 34 : 17; }

// Values of middling size in the form of the type; a block of a quantised one begins with its
// scale.
std::vector<uint8_t> RandomBytes(ggml_type type, size_t bytes) {
  std::mt19937 random(1);
  std::vector<uint8_t> data(bytes);
  for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  for (size_t i = 0; i < bytes; ++i) {
    if (type == GGML_TYPE_F32 && i % 4 == 3) data[i] = 0x3E | (data[i] & 0x80);
    if (type == GGML_TYPE_F16 && i % 2 == 1) data[i] = 0x2C | (data[i] & 0x83);
    if (type == GGML_TYPE_MXFP4 && i % BlockBytes(type) == 0) data[i] = 118 + data[i] % 4;
    if (type == GGML_TYPE_Q8_0 && i % BlockBytes(type) == 1) data[i] = 0x1C;
  }
  return data;
}

// A graph of operators with the tensors it needs.
class Graph {
 public:
  using Sizes = std::vector<int64_t>;

  // weights: the buffer type of theirs.
  explicit Graph(void* weights) : buffer_type_(weights) {}
  ~Graph() {
    for (void* buffer : {weight_buffer_, buffer_}) ggml_backend_buffer_free(buffer);
    for (ggml_context* context : {weight_context_, context_}) ggml_free(context);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  ggml_context* context() { return context_; }
  ggml_tensor* Weight(ggml_type type, const Sizes& sizes) {
    return Keep(weight_context_, type, sizes);
  }
  ggml_tensor* Input(ggml_type type, const Sizes& sizes) { return Keep(context_, type, sizes); }
  void Compute(ggml_tensor* result) { ggml_build_forward_expand(graph_, result); }

  // When all is said: memory and random content for all tensors.
  void Allocate() {
    weight_buffer_ = ggml_backend_alloc_ctx_tensors_from_buft(weight_context_, buffer_type_);
    buffer_ = ggml_backend_alloc_ctx_tensors(context_, ThePeer().backend);
    for (const auto& [tensor, type] : tensors_) {
      const std::vector<uint8_t> data = RandomBytes(type, ggml_nbytes(tensor));
      if (type != GGML_TYPE_I32) ggml_backend_tensor_set(tensor, data.data(), 0, data.size());
    }
  }
  void Run() { CEDAR_CHECK(ggml_backend_graph_compute(ThePeer().backend, graph_) == 0); }

 private:
  static ggml_context* NewContext() { return ggml_init({64u << 20, nullptr, true}); }
  ggml_tensor* Keep(ggml_context* context, ggml_type type, const Sizes& sizes) {
    ggml_tensor* const tensor =
        ggml_new_tensor(context, type, static_cast<int>(sizes.size()), sizes.data());
    tensors_.emplace_back(tensor, type);
    return tensor;
  }

  void* buffer_type_;
  ggml_context* weight_context_ = NewContext();
  ggml_context* context_ = NewContext();
  ggml_cgraph* graph_ = ggml_new_graph_custom(context_, 4096, false);
  void* weight_buffer_ = nullptr;
  void* buffer_ = nullptr;
  std::vector<std::pair<ggml_tensor*, ggml_type>> tensors_;
};

// The argument of the benchmark is the number of threads.
void Measure(benchmark::State& state, Graph& graph, const CallCost& cost) {
  const int threads = static_cast<int>(state.range(0));
  ThePeer().set_threads(ThePeer().backend, threads);
  // Not bound to cores: the threads of the peer, which it makes later, would be bound too.
  const simd::Workers workers(threads, simd::Pinning::kNone);
  Shares shares(AvailableIsas().front(), workers, {{ReadMemory().data(), ReadMemory().bytes()}});
  shares.set_pause(std::chrono::milliseconds(60));
  shares.Run(state, cost, [&] { graph.Run(); });
}

std::vector<int32_t> ShuffledExperts(std::mt19937& random) {
  std::vector<int32_t> experts(kExperts);
  std::iota(experts.begin(), experts.end(), 0);
  std::shuffle(experts.begin(), experts.end(), random);
  return experts;
}

// Of so many tokens, [tokens][kChosen]: different ones within each of many tokens; the next ones of
// a walk over all experts for a single token.
class Choices {
 public:
  std::vector<int32_t> Next(int64_t tokens) {
    if (tokens == 1) {
      const auto first = walk_.begin() + static_cast<std::ptrdiff_t>(next_);
      next_ += kChosen;
      return {first, first + kChosen};
    }
    std::vector<int32_t> chosen;
    for (int64_t token = 0; token < tokens; ++token) {
      const std::vector<int32_t> shuffled = ShuffledExperts(random_);
      chosen.insert(chosen.end(), shuffled.begin(), shuffled.begin() + kChosen);
    }
    return chosen;
  }

 private:
  std::mt19937 random_{3};
  std::vector<int32_t> walk_ = ShuffledExperts(random_);
  size_t next_ = 0;
};

// The layer for so many tokens, `calls` times with other experts each time.
void Experts(benchmark::State& state, int64_t tokens, int64_t calls) {
  Graph graph(ThePeer().repacked);
  ggml_tensor* const gate = graph.Weight(GGML_TYPE_MXFP4, {kHidden, kInner, kExperts});
  ggml_tensor* const up = graph.Weight(GGML_TYPE_MXFP4, {kHidden, kInner, kExperts});
  ggml_tensor* const down = graph.Weight(GGML_TYPE_MXFP4, {kInner, kHidden, kExperts});
  ggml_tensor* const x = graph.Input(GGML_TYPE_F32, {kHidden, 1, tokens});
  ggml_tensor* const hidden = graph.Input(GGML_TYPE_F32, {kInner, kChosen, tokens});
  std::vector<ggml_tensor*> ids;
  for (int64_t i = 0; i < calls; ++i) {
    ids.push_back(graph.Input(GGML_TYPE_I32, {kChosen, tokens}));
    graph.Compute(ggml_mul_mat_id(graph.context(), gate, x, ids.back()));
    graph.Compute(ggml_mul_mat_id(graph.context(), up, x, ids.back()));
    graph.Compute(ggml_mul_mat_id(graph.context(), down, hidden, ids.back()));
  }
  graph.Allocate();
  Choices choices;
  for (ggml_tensor* tensor : ids) {
    const std::vector<int32_t> chosen = choices.Next(tokens);
    ggml_backend_tensor_set(tensor, chosen.data(), 0, chosen.size() * sizeof(int32_t));
  }
  const double bytes =
      static_cast<double>(ggml_nbytes(gate) + ggml_nbytes(up) + ggml_nbytes(down)) / kExperts;
  const double experts = static_cast<double>(tokens == 1 ? kChosen * calls : kExperts);
  Measure(
      state, graph,
      {bytes * experts, 6.0 * kHidden * kInner * kChosen * static_cast<double>(tokens * calls)});
}

// Matrices one after the other, as many as fill kStreamed for one token and one for many.
void Projections(benchmark::State& state, int64_t cols, int64_t rows, int64_t tokens) {
  Graph graph(ThePeer().plain);
  ggml_tensor* const x = graph.Input(GGML_TYPE_F32, {cols, tokens});
  const int64_t count = tokens == 1 ? static_cast<int64_t>(kStreamed) / (rows * cols) : 1;
  double bytes = 0;
  for (int64_t i = 0; i < count; ++i) {
    ggml_tensor* const w = graph.Weight(GGML_TYPE_Q8_0, {cols, rows});
    bytes += static_cast<double>(ggml_nbytes(w));
    graph.Compute(ggml_mul_mat(graph.context(), w, x));
  }
  graph.Allocate();
  Measure(state, graph, {bytes, 2.0 * static_cast<double>(rows * cols * tokens * count)});
}

// By the fused operator, or by two products with a softmax between them: llama.cpp has both.
void Attention(benchmark::State& state, int64_t tokens, bool fused) {
  Graph graph(ThePeer().plain);
  ggml_tensor* const q = graph.Input(GGML_TYPE_F32, {kHeadDim, tokens, kHeads});
  ggml_tensor* const k = graph.Input(GGML_TYPE_F16, {kHeadDim, kRows, 1});
  const float scale = 0.0442f;  // 1 / sqrt(512)
  if (fused) {
    ggml_tensor* const v = graph.Input(GGML_TYPE_F16, {kHeadDim, kRows, 1});
    graph.Compute(ggml_flash_attn_ext(graph.context(), q, k, v, nullptr, scale, 0, 0));
  } else {
    ggml_tensor* const v = graph.Input(GGML_TYPE_F16, {kRows, kHeadDim, 1});
    ggml_tensor* const scores = ggml_mul_mat(graph.context(), k, q);
    ggml_tensor* const shares = ggml_soft_max_ext(graph.context(), scores, nullptr, scale, 0);
    graph.Compute(ggml_mul_mat(graph.context(), v, shares));
  }
  graph.Allocate();
  Measure(
      state, graph,
      {2.0 * 2 * kRows * kHeadDim, 4.0 * kHeads * kRows * kHeadDim * static_cast<double>(tokens)});
}

template <class F>
benchmark::internal::Benchmark* Register(const std::string& name, const F& run) {
  return benchmark::RegisterBenchmark(name.c_str(), run);
}

const bool kRegistered = [] {
  using State = benchmark::State;
  constexpr int64_t kWalk = kExperts / kChosen;
  Configure(Register("Experts/Decode", [](State& s) { Experts(s, 1, kWalk); })->Arg(1)->Arg(2));
  Configure(Register("Experts/Prefill", [](State& s) { Experts(s, kTokens, 1); })->Arg(1)->Arg(2),
            3);
  for (const auto& [cols, rows] : {std::pair<int64_t, int64_t>{5120, 8192}, {1280, 32768}}) {
    const std::string shape = std::to_string(cols) + "_" + std::to_string(rows);
    for (const int64_t tokens : {int64_t{1}, kTokens}) {
      Configure(Register((tokens == 1 ? "Projection/Decode/" : "Projection/Prefill/") + shape,
                         [=](State& s) { Projections(s, cols, rows, tokens); })
                    ->Arg(1)
                    ->Arg(2),
                5);
    }
  }
  for (const bool fused : {true, false}) {
    const std::string kind = fused ? "Fused" : "Products";
    Configure(
        Register("Attention/Token/" + kind, [=](State& s) { Attention(s, 1, fused); })->Arg(1));
    Configure(Register("Attention/Prompt/" + kind, [=](State& s) { Attention(s, kTokens, fused); })
                  ->Arg(1),
              3);
  }
  return true;
}();

}  // namespace
}  // namespace cedar::perf
