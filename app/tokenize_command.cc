// cedar tokenize and cedar detokenize: standard input to token ids and back to exactly its bytes.

#include <string>

#include "app/commands.h"
#include "app/model_source.h"
#include "app/output.h"
#include "app/text_input.h"

namespace cedar {

ExitCode Execute(const TokenizeOptions& options) {
  const Tokenizer tokenizer = ReadTokenizer(OpenModel(options.model));
  const std::string text = ReadStandardInput();
  CheckUtf8(text, kStandardInput);
  std::string line;
  for (const int32_t id : tokenizer.EncodeWithControl(text)) {
    line += (line.empty() ? "" : " ") + std::to_string(id);
  }
  Output::Standard().Write(line + "\n");
  return kExitOk;
}

ExitCode Execute(const DetokenizeOptions& options) {
  const Tokenizer tokenizer = ReadTokenizer(OpenModel(options.model));
  const std::string text = ReadStandardInput();
  Output::Standard().Write(tokenizer.Decode(ParseIds(text, kStandardInput)));
  return kExitOk;
}

}  // namespace cedar
