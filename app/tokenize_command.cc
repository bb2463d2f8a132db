// cedar tokenize and cedar detokenize: standard input to token ids and back to exactly its bytes.

#include <string>
#include <vector>

#include "app/batch_line.h"
#include "app/commands.h"
#include "app/model_source.h"
#include "app/output.h"
#include "app/text_input.h"
#include "weights/read_model.h"

namespace cedar {
namespace {

// The prompt of a request: its body, or a whole line of a batch.
std::vector<int32_t> EncodeBody(const Tokenizer& tokenizer, const std::string& body) {
  RequestReader reader(tokenizer, static_cast<size_t>(tokenizer.size()), {});
  return reader.Read(ParseBatchLine(body), {}).prompts[0];
}

}  // namespace

ExitCode Execute(const TokenizeOptions& options) {
  const Tokenizer tokenizer = ReadTokenizer(OpenModel(options.model));
  const std::string text = ReadStandardInput();
  CheckUtf8(text, kStandardInput);
  std::string line;
  for (const int32_t id : EncodeNaming(kStandardInput, [&] {
         return options.chat ? EncodeBody(tokenizer, text) : tokenizer.EncodeWithControl(text);
       })) {
    line += (line.empty() ? "" : " ") + std::to_string(id);
  }
  Output::Standard().Write(line + "\n");
  return kExitOk;
}

ExitCode Execute(const DetokenizeOptions& options) {
  const Tokenizer tokenizer = ReadTokenizer(OpenModel(options.model));
  const auto vocab = static_cast<size_t>(tokenizer.size());
  const std::string text = ReadStandardInput();
  if (text.find_first_not_of(" \t\r\n") == text.npos) return kExitOk;  // no ids, no bytes
  const std::vector<int32_t> ids = ParseIds(text, kStandardInput, vocab);
  Output::Standard().Write(tokenizer.Decode(ids));
  return kExitOk;
}

}  // namespace cedar
