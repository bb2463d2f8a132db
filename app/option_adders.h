#ifndef CEDAR_APP_OPTION_ADDERS_H_
#define CEDAR_APP_OPTION_ADDERS_H_

// Adds options to a command of CLI11; what is added keeps a reference to where its value goes.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/option_values.h"
#include "app/options.h"

namespace cedar {

// An option whose text `take` turns into a value; it may throw Error.
CLI::Option* Add(CLI::App& app, const std::string& names, const char* value,
                 const std::string& help, std::function<void(const std::string&)> take);

void AddModel(CLI::App& app, std::string& model);

CLI::Option* AddText(CLI::App& app, const std::string& names, const char* value,
                     const std::string& help, std::optional<std::string>& text);

// The same for text that the model will read: it must be UTF-8.
CLI::Option* AddProse(CLI::App& app, const std::string& names, const char* value,
                      const std::string& help, std::optional<std::string>& text);

void AddReal(CLI::App& app, const std::string& name, const std::string& help,
             const RealRange& range, double& value);

// A whole number from `least` on, up to 2^32.
CLI::Option* AddCount(CLI::App& app, const std::string& name, const char* value,
                      const std::string& help, uint64_t least, std::optional<size_t>& count);

void AddThreads(CLI::App& app, int& threads);

// --replay, --threads, --no-pin, --weights, --chunk, --numerics and --isa.
void AddCompute(CLI::App& app, ComputeOptions& compute);

}  // namespace cedar

#endif  // CEDAR_APP_OPTION_ADDERS_H_
