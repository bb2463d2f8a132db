#ifndef CEDAR_APP_REQUEST_INTAKE_H_
#define CEDAR_APP_REQUEST_INTAKE_H_

// From a line of a batch to a request that fits the plan, or to the reason why it is none.

#include <cstddef>
#include <string>

#include "app/batch_line.h"
#include "app/batch_plan.h"
#include "app/batch_response.h"
#include "app/line_identifier.h"
#include "app/line_source.h"
#include "app/options.h"
#include "app/served_name.h"
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
  using Line = IdentifiedLine;

  // lines: of the input, as far as that is known.
  RequestIntake(const Engine& engine, const BatchOptions& options, const BatchPlan& plan,
                size_t lines);

  // Lines must come in their order, each once: it counts those of one name.
  Line Identify(const InputLine& input) { return identifier_.Identify(input); }
  void CountName(const std::string& custom_id) { identifier_.CountName(custom_id); }
  // Throws LineError. Warns on standard error of the first line that asks for another model.
  BatchRequest Read(const Line& line);
  // Whether the grammars that requests hold take all that the plan has for them.
  bool GrammarsFull() { return reader_.GrammarsFull(); }

 private:
  // Spares the tokens of a document that has too many for sure.
  void CheckDocument(const Line& line) const;
  void FitContext(BatchRequest& request) const;
  std::string Advice(size_t room) const;

  size_t context_;
  size_t longest_token_;  // bytes
  bool truncate_;
  RequestReader reader_;
  LineIdentifier identifier_;
  ServedName served_;
};

}  // namespace cedar

#endif  // CEDAR_APP_REQUEST_INTAKE_H_
