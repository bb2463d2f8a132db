#include "weights/required_tensors.h"

#include <cstddef>
#include <utility>

#include "simd/error.h"
#include "weights/bad_values.h"
#include "weights/bind_model.h"
#include "weights/checkpoint_source.h"
#include "weights/tensor_names.h"
#include "weights/tensor_source.h"

namespace cedar {
namespace {

class Collector : public TensorSource {
 public:
  Collector(const Checkpoint& checkpoint, const std::function<bool(const std::string&)>& is_lost)
      : checkpoint_(checkpoint), source_(checkpoint), is_lost_(is_lost) {}

  RequiredTensors Take() { return std::move(found_); }

  WeightMatrix Matrix(const std::string& name, size_t rows, size_t cols, Format released,
                      Storage storage) override {
    const WeightMatrix nothing{released, rows, cols, nullptr, nullptr};
    // Where a scale is lost, so is what the weight's own shape would be compared with.
    if (is_lost_(name) || is_lost_(tensor_names::Scale(name))) return nothing;
    Try([&] {
      const bool scaled = source_.Matrix(name, rows, cols, released, storage).scales != nullptr;
      Add(name);
      if (scaled) Add(tensor_names::Scale(name));
    });
    return nothing;
  }

  std::vector<float> Floats(const std::string& name, const std::vector<size_t>& shape) override {
    size_t count = 1;
    for (const size_t n : shape) count *= n;
    if (!is_lost_(name)) {
      Try([&] {
        // The source would refuse bad values as well, but not say where they are.
        if (!HasBadValues(name)) source_.Floats(name, shape);
        Add(name);
      });
    }
    return std::vector<float>(count);
  }

  EngramTable Table(const std::string& name, size_t rows, size_t head_dim) override {
    if (is_lost_(name) || is_lost_(tensor_names::Scale(name))) return {};
    Try([&] {
      const bool scaled = source_.Table(name, rows, head_dim).scales != nullptr;
      Add(name);
      if (scaled) Add(tensor_names::Scale(name));
    });
    return {};
  }

 private:
  template <typename F>
  void Try(const F& check) {
    try {
      check();
    } catch (const Error& error) {
      found_.damages.push_back(error.what());
    }
  }

  void Add(const std::string& name) { found_.tensors.push_back(checkpoint_.Find(name)); }

  bool HasBadValues(const std::string& name) const {
    const Tensor* const tensor = checkpoint_.Find(name);
    return tensor != nullptr && ValueBytes(tensor->dtype) > 0 &&
           FindBadValues(tensor->dtype, tensor->bytes).count > 0;
  }

  const Checkpoint& checkpoint_;
  CheckpointSource source_;
  const std::function<bool(const std::string&)>& is_lost_;
  RequiredTensors found_;
};

}  // namespace

RequiredTensors FindRequiredTensors(const Checkpoint& checkpoint, const ModelConfig& config,
                                    const LayerPlan& plan,
                                    const std::function<bool(const std::string&)>& is_lost) {
  Collector collector(checkpoint, is_lost);
  BindModel(collector, config, plan);
  return collector.Take();
}

}  // namespace cedar
