#ifndef CEDAR_APP_ANSWER_SETTINGS_H_
#define CEDAR_APP_ANSWER_SETTINGS_H_

// What acts on an answer beside its request: the model, and options of the command line. Each has a
// short text of its own, so that a later run can say which of them has changed.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/line_id.h"
#include "app/options.h"
#include "engine/engine.h"

namespace cedar {

class AnswerSettings {
 public:
  AnswerSettings(const Engine& engine, const BatchOptions& options);

  // "MODEL_t0.5_m256": of the model 8 digits, then of each option a letter and its value. Options
  // at their defaults, and those that this line overrides, do not stand there.
  std::string Of(const nlohmann::ordered_json& line) const;

 private:
  struct Setting {
    char letter;
    std::string value;
  };

  std::string model_;
  std::vector<Setting> all_;
  double temperature_;
};

// For people: in what the same line, as it was answered then, differs from now; "its request, the
// model, --temperature (was 0.5, is 1)".
std::string WhatChanged(const LineId& then, const LineId& now);

}  // namespace cedar

#endif  // CEDAR_APP_ANSWER_SETTINGS_H_
