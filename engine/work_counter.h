#ifndef CEDAR_ENGINE_WORK_COUNTER_H_
#define CEDAR_ENGINE_WORK_COUNTER_H_

// How much a forward pass really reads and computes, counted while it runs: the experts that the
// router chose, the rows that attention saw. What a machine can do at most of it follows from this.

#include <vector>

#include "engine/observer.h"
#include "weights/model_counts.h"

namespace cedar {

struct Model;

struct Work {
  // Distinct weights of each step as they are stored: all rows of a step that need a matrix share
  // one read of it. Embeddings and Engram rows, a few KB a token, are left out.
  double weight_bytes = 0;
  double operations = 0;         // a product and its addition are two
  double expert_operations = 0;  // of them, those of the routed experts

  Work& operator+=(const Work& more) {
    weight_bytes += more.weight_bytes;
    operations += more.operations;
    expert_operations += more.expert_operations;
    return *this;
  }
  Work operator-(const Work& before) const {
    return {weight_bytes - before.weight_bytes, operations - before.operations,
            expert_operations - before.expert_operations};
  }
};

class WorkCounter : public BlockObserver {
 public:
  // `model` must outlive this.
  explicit WorkCounter(const Model& model);

  // All since this was made.
  const Work& work() const { return work_; }

  void OnStep(size_t layer, const Step& step) override;
  void OnPublish(size_t layer, size_t rows) override;
  void OnExperts(size_t layer, size_t position, std::span<const int32_t> experts) override;
  void OnLogits(size_t rows) override;

 private:
  // Weights that are read once and meet so many rows.
  void Add(const WeightSize& weights, size_t rows);
  // Operations of one row beside its matrices: attention, and the scores of index keys.
  double AttentionOperations(size_t layer, size_t position) const;

  const Model& model_;
  std::vector<LayerSizes> sizes_;
  WeightSize head_;
  std::vector<bool> chosen_;  // experts of the layer and step that runs
  Work work_;
};

}  // namespace cedar

#endif  // CEDAR_ENGINE_WORK_COUNTER_H_
