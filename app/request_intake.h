#ifndef CEDAR_APP_REQUEST_INTAKE_H_
#define CEDAR_APP_REQUEST_INTAKE_H_

// From a line of a batch to a request that fits the plan, or to the reason why it is none.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/batch_line.h"
#include "app/batch_plan.h"
#include "app/batch_response.h"
#include "app/line_names.h"
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
    std::string failure_code;
    size_t number = 0;
    uint64_t text_digest = 0;
  };

  // lines: of the input, as far as that is known.
  RequestIntake(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
                size_t lines);

  // Lines must come in their order, each once: it counts those of one name.
  Line Identify(const InputLine& input);
  // Throws LineError.
  BatchRequest Read(const Line& line);
  // Whether the grammars that requests hold take all that the plan has for them.
  bool GrammarsFull() { return reader_.GrammarsFull(); }

 private:
  void FitContext(BatchRequest& request) const;
  std::string Advice(size_t room) const;

  size_t context_;
  bool truncate_;
  uint64_t defaults_digest_;
  RequestReader reader_;
  LineNames names_;
};

}  // namespace cedar

#endif  // CEDAR_APP_REQUEST_INTAKE_H_
