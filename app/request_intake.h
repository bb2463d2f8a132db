#ifndef CEDAR_APP_REQUEST_INTAKE_H_
#define CEDAR_APP_REQUEST_INTAKE_H_

// From a line of a batch to a request that fits the plan, or to the reason why it is none.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "app/batch_line.h"
#include "app/batch_response.h"
#include "app/line_source.h"
#include "app/options.h"
#include "engine/engine.h"
#include "simd/error.h"

namespace cedar {

// Why one line fails; the run goes on.
class LineError : public Error {
 public:
  LineError(std::string code, const std::string& message)
      : Error(ErrorKind::kInput, message), code_(std::move(code)) {}
  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

class RequestIntake {
 public:
  // A line with its name; `failure` says what is wrong with it as far as that is known.
  struct Line {
    LineId id;
    nlohmann::ordered_json json;
    std::string failure;
    size_t number = 0;
    uint64_t text_digest = 0;
  };

  // context: positions of a request.
  RequestIntake(const Engine& engine, const BatchOptions& options, size_t context);

  // Lines must come in their order: it counts those that are alike.
  Line Identify(const InputLine& input);
  // Throws LineError.
  BatchRequest Read(const Line& line);
  // Instead of Read, for a line whose answer is there already.
  void Skip(const Line& line) { custom_ids_.insert(line.id.custom_id); }

 private:
  void FitContext(BatchRequest& request) const;

  size_t context_;
  bool truncate_;
  uint64_t defaults_digest_;
  RequestReader reader_;
  std::unordered_set<std::string> custom_ids_;
  std::unordered_map<uint64_t, size_t> occurrences_;  // by digest
};

}  // namespace cedar

#endif  // CEDAR_APP_REQUEST_INTAKE_H_
