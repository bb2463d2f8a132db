#ifndef CEDAR_APP_LINE_IDENTIFIER_H_
#define CEDAR_APP_LINE_IDENTIFIER_H_

// Gives each line of a batch its id, before anybody reads what it asks for.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "app/answer_settings.h"
#include "app/line_id.h"
#include "app/line_names.h"
#include "app/line_source.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

// A line with its name; `failure` says what is wrong with it as far as that is known.
struct IdentifiedLine {
  LineId id;
  nlohmann::ordered_json json;
  std::string failure;
  std::string failure_code;
  size_t number = 0;
  size_t document_bytes = 0;  // of text that is part of the prompt as it stands, if known
  uint64_t seed = 0;  // of its draws, if nobody gives one: the same however the line is written
};

class LineIdentifier {
 public:
  // lines: of the input, as far as that is known.
  LineIdentifier(const Engine& engine, const BatchOptions& options, size_t lines)
      : settings_(engine, options), cut_(options.truncate_prompt), names_(lines) {}

  // Lines must come in their order, each once: it counts those of one name.
  IdentifiedLine Identify(const InputLine& input);
  // Of a line that is passed over.
  void CountName(const std::string& custom_id) { names_.Add(custom_id); }

 private:
  AnswerSettings settings_;
  bool cut_;
  LineNames names_;
};

}  // namespace cedar

#endif  // CEDAR_APP_LINE_IDENTIFIER_H_
