// Whatever walks over the weights sees the same matrices: all that a model is bound from.

#include "weights/weight_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/paths.h"
#include "tests/weights/loaded_model.h"
#include "weights/bind_model.h"
#include "weights/matrix_bytes.h"
#include "weights/model_counts.h"
#include "weights/tensor_source.h"
#include "weights/weight_memory.h"
#include "weights/weight_sample.h"

namespace cedar {
namespace {

using Bytes = std::span<const uint8_t>;

// Gives every matrix addresses of its own, at which nothing lies.
class Addresses : public TensorSource {
 public:
  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format,
                      Storage storage) override {
    const Format format = storage == Storage::kPlain ? Format::kF32 : Format::kBf16;
    WeightMatrix matrix{format, rows, cols, next_, nullptr};
    Bytes& place = name == "embed.weight" ? embedding : matrices.emplace_back();
    place = {next_, MatrixBytes(matrix)};
    next_ += place.size() + 64;
    return matrix;
  }
  std::vector<float> Floats(const std::string&, const std::vector<size_t>& shape) override {
    const size_t values =
        std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<size_t>());
    vector_bytes += values * sizeof(float);
    return std::vector<float>(values);
  }
  EngramTable Table(const std::string&, size_t rows, size_t head_dim) override {
    return {Format::kFp8, rows, head_dim, nullptr, nullptr};
  }

  Bytes embedding;
  std::vector<Bytes> matrices;  // all others
  size_t vector_bytes = 0;

 private:
  const uint8_t* next_ = reinterpret_cast<const uint8_t*>(size_t{1} << 40);
};

// Ascending, with neighbours joined: Wo_a is one tensor, and a matrix for each group.
std::vector<Bytes> Joined(std::vector<Bytes> parts) {
  std::ranges::sort(parts, {}, [](Bytes part) { return part.data(); });
  std::vector<Bytes> joined;
  for (const Bytes part : parts) {
    const bool next = !joined.empty() && joined.back().data() + joined.back().size() == part.data();
    if (next) {
      joined.back() = {joined.back().data(), joined.back().size() + part.size()};
    } else {
      joined.push_back(part);
    }
  }
  return joined;
}

void ExpectSame(const std::vector<Bytes>& walked, const std::vector<Bytes>& bound) {
  const std::vector<Bytes> a = Joined(walked), b = Joined(bound);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].data(), b[i].data());
    EXPECT_EQ(a[i].size(), b[i].size());
  }
}

class WeightWalkTest : public testing::Test {
 protected:
  // It has layers of every sort.
  const ModelConfig config_ = ReadConfig(MappedFile::Map(GoldenPath("tiny/config.json")));
  const LayerPlan plan_ = PlanLayers(config_);
  Addresses source_;
  ModelWeights weights_ = BindModel(source_, config_, plan_);
};

TEST_F(WeightWalkTest, VisitsEveryMatrixOnce) {
  std::vector<Bytes> visited;
  ForEachMatrix(weights_, [&](WeightRole role, const WeightMatrix& matrix) {
    if (role == WeightRole::kEmbedding) {
      EXPECT_EQ(matrix.data, source_.embedding.data());
    } else {
      visited.emplace_back(matrix.data, MatrixBytes(matrix));
    }
  });
  ExpectSame(visited, source_.matrices);
}

TEST_F(WeightWalkTest, CountsTheSame) {
  uint64_t bytes = source_.embedding.size() + source_.vector_bytes;
  for (const Bytes matrix : source_.matrices) bytes += matrix.size();
  EXPECT_EQ(CountModel(weights_, config_, plan_).bytes.weights, bytes);
}

TEST_F(WeightWalkTest, MovesTheSame) {
  const simd::NodeThreads nodes[] = {{0, 1}, {1, 1}};
  WeightMemory memory;
  std::vector<Bytes> copied;
  for (const std::vector<Copy>& node : MoveMatrices(weights_, nodes, memory)) {
    for (const Copy& copy : node) copied.push_back(copy.from);
  }
  ExpectSame(copied, source_.matrices);
}

TEST_F(WeightWalkTest, SamplesTheSame) {
  ExpectSame(SampleWeights(weights_, SIZE_MAX), source_.matrices);
}

}  // namespace
}  // namespace cedar
