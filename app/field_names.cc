#include "app/field_names.h"

namespace cedar {
namespace {

using enum FieldKind;

constexpr std::string_view kInMessages = "expected a message in messages";
constexpr std::string_view kMostTokens = "expected max_completion_tokens";
constexpr std::string_view kStructured = "expected structured_outputs or response_format";
constexpr std::string_view kNoSuchTokens = "expected logit_bias";

constexpr FieldName kLine[] = {
    {"custom_id", kUnderstood},
    {"method", kOnly, R"("POST")"},
    {"url", kUnderstood},
    {"body", kUnderstood},
    {"params", kRefused, "a line of Anthropic's batches, expected one of OpenAI's, with body"},
    {"request", kRefused, "a line of Gemini's batches, expected one of OpenAI's, with body"},
    {"modelInput", kRefused, "a line of Bedrock's batches, expected one of OpenAI's, with body"},
};

constexpr FieldName kBody[] = {
    {"model", kUnderstood},
    {"prompt", kUnderstood},
    {"max_tokens", kUnderstood},
    {"max_completion_tokens", kUnderstood},
    {"min_tokens", kUnderstood},
    {"n", kUnderstood},
    {"best_of", kUnderstood},
    {"temperature", kUnderstood},
    {"top_p", kUnderstood},
    {"top_k", kUnderstood},
    {"min_p", kUnderstood},
    {"seed", kUnderstood},
    {"stop", kUnderstood},
    {"stop_token_ids", kUnderstood},
    {"include_stop_str_in_output", kUnderstood},
    {"ignore_eos", kUnderstood},
    {"skip_special_tokens", kUnderstood},
    {"presence_penalty", kUnderstood},
    {"frequency_penalty", kUnderstood},
    {"repetition_penalty", kUnderstood},
    {"logit_bias", kUnderstood},
    {"logprobs", kUnderstood},
    {"prompt_logprobs", kUnderstood},
    {"return_tokens_as_token_ids", kUnderstood},
    {"return_token_ids", kUnderstood},
    {"echo", kUnderstood},
    {"truncate_prompt_tokens", kUnderstood},
    {"truncation_side", kUnderstood},
    {"response_format", kUnderstood},
    {"structured_outputs", kUnderstood},
    {"guided_json", kUnderstood},
    {"guided_regex", kUnderstood},
    {"guided_choice", kUnderstood},

    {"stream", kOnly, "false"},
    {"use_beam_search", kOnly, "false"},
    {"length_penalty", kOnly, "1"},
    {"add_special_tokens", kOnly, "false"},
    {"watermarking", kOnly, "false"},
    {"return_prompt_text", kOnly, "false"},
    {"return_hidden_states", kOnly, "false"},

    {"user", kNoEffect},
    {"metadata", kNoEffect},
    {"store", kNoEffect},
    {"service_tier", kNoEffect},
    {"safety_identifier", kNoEffect},
    {"prompt_cache_key", kNoEffect},
    {"prompt_cache_retention", kNoEffect},
    {"prompt_cache_options", kNoEffect},
    {"prediction", kNoEffect},
    {"stream_options", kNoEffect},
    {"stream_interval", kNoEffect},
    {"priority", kNoEffect},
    {"request_id", kNoEffect},
    {"rid", kNoEffect},
    {"session_id", kNoEffect},
    {"cache_salt", kNoEffect},
    {"spaces_between_special_tokens", kNoEffect},
    {"return_token_offsets", kNoEffect},
    {"guided_decoding_backend", kNoEffect},
    {"timeout", kNoEffect},
    {"extra_headers", kNoEffect},
    {"extra_query", kNoEffect},

    {"extra_body", kRefused, "an argument of client libraries: its members belong in its place"},
    {"input", kRefused, "a field of the Responses API, expected messages"},
    {"instructions", kRefused, kInMessages},
    {"system", kRefused, kInMessages},
    {"max_new_tokens", kRefused, kMostTokens},
    {"max_output_tokens", kRefused, kMostTokens},
    {"stop_sequences", kRefused, "expected stop"},
    {"repeat_penalty", kRefused, "expected repetition_penalty"},
    {"regex", kRefused, kStructured},
    {"ebnf", kRefused, kStructured},
    {"guided_grammar", kRefused, kStructured},
    {"guided_whitespace_pattern", kRefused, kStructured},
    {"structural_tag", kRefused, kStructured},
    {"allowed_token_ids", kRefused, kNoSuchTokens},
    {"bad_words", kRefused, kNoSuchTokens},
    {"logits_processors", kRefused},
    {"logprob_token_ids", kRefused},
    {"repetition_detection", kRefused},
    {"kv_transfer_params", kRefused},
    {"vllm_xargs", kRefused},
};

constexpr FieldName kChat[] = {
    {"messages", kUnderstood},
    {"top_logprobs", kUnderstood},
    {"tools", kUnderstood},
    {"tool_choice", kUnderstood},
    {"parallel_tool_calls", kUnderstood},
    {"reasoning_effort", kUnderstood},
    {"reasoning", kUnderstood},
    {"thinking", kUnderstood},
    {"enable_thinking", kUnderstood},
    {"thinking_token_budget", kUnderstood},
    {"thinking_budget", kUnderstood},
    {"include_reasoning", kUnderstood},
    {"chat_template_kwargs", kUnderstood},
    {"add_generation_prompt", kUnderstood},
    {"continue_final_message", kUnderstood},

    {"modalities", kOnly, R"(["text"])"},
    {"verbosity", kOnly, R"("medium")"},
    {"separate_reasoning", kOnly, "true"},

    {"media_io_kwargs", kNoEffect},
    {"mm_processor_kwargs", kNoEffect},
    {"stream_reasoning", kNoEffect},

    {"functions", kRefused, "deprecated, expected tools"},
    {"function_call", kRefused, "deprecated, expected tool_choice"},
    {"audio", kRefused, "expected text alone"},
    {"web_search_options", kRefused, "nothing is searched here"},
    {"documents", kRefused, kInMessages},
    {"chat_template", kRefused, "conversations are written as the release writes them"},
};

constexpr FieldName kCompletion[] = {
    {"suffix", kOnly, R"("")"},
    {"messages", kRefused, "expected prompt, or the url /v1/chat/completions"},
    {"prompt_embeds", kRefused, "expected prompt"},
};

constexpr FieldName kMessage[] = {
    {"role", kUnderstood},
    {"content", kUnderstood},
    {"reasoning_content", kUnderstood},
    {"reasoning", kUnderstood},
    {"reasoning_details", kUnderstood},
    {"thinking_blocks", kUnderstood},
    {"refusal", kUnderstood},
    {"tool_calls", kUnderstood},
    {"function_call", kUnderstood},
    {"tool_call_id", kUnderstood},
    {"prefix", kUnderstood},
    {"tools", kUnderstood},
    {"task", kUnderstood},

    {"name", kNoEffect},
    {"annotations", kNoEffect},
    {"cache_control", kNoEffect},
    {"provider_specific_fields", kNoEffect},
    {"extra_content", kNoEffect},
    // What clients keep of an answer beside what it says.
    {"id", kNoEffect},
    {"type", kNoEffect},
    {"index", kNoEffect},
    {"model", kNoEffect},
    {"status", kNoEffect},
    {"parsed", kNoEffect},
    {"usage", kNoEffect},
    {"logprobs", kNoEffect},
    {"metadata", kNoEffect},
    {"citations", kNoEffect},
    {"token_ids", kNoEffect},
    {"timestamp", kNoEffect},
    {"created_at", kNoEffect},
    {"stop_reason", kNoEffect},
    {"finish_reason", kNoEffect},
    {"reasoning_signature", kNoEffect},
    {"additional_kwargs", kNoEffect},
    {"response_metadata", kNoEffect},
    {"usage_metadata", kNoEffect},
    {"is_error", kNoEffect},

    {"audio", kRefused, "expected what was said as content"},
    {"images", kRefused, "expected text alone"},
    {"partial", kRefused, "expected prefix"},
};

constexpr FieldName kPart[] = {
    {"type", kUnderstood},
    {"text", kUnderstood},
    {"refusal", kUnderstood},

    {"cache_control", kNoEffect},
    {"prompt_cache_breakpoint", kNoEffect},
    {"annotations", kNoEffect},
    {"logprobs", kNoEffect},
    {"id", kNoEffect},
};

constexpr FieldName kCall[] = {
    {"id", kUnderstood},          {"type", kOnly, R"("function")"},
    {"function", kUnderstood},    {"namespace", kUnderstood},

    {"index", kNoEffect},         {"provider_specific_fields", kNoEffect},
    {"extra_content", kNoEffect}, {"status", kNoEffect},
};

constexpr FieldName kTool[] = {
    {"type", kOnly, R"("function")"},
    {"function", kUnderstood},
    {"namespace", kUnderstood},

    {"cache_control", kNoEffect},
    {"prompt_cache_breakpoint", kNoEffect},

    {"name", kRefused, "a tool of the Responses API, expected its members in function"},
    {"parameters", kRefused, "expected it in function"},
    {"input_schema", kRefused, "a tool of Anthropic's, expected function with parameters"},
    {"strict", kRefused, "expected it in function"},
};

constexpr FieldName kFunction[] = {
    {"name", kUnderstood},        {"description", kUnderstood}, {"parameters", kUnderstood},
    {"strict", kUnderstood},      {"namespace", kUnderstood},

    {"cache_control", kNoEffect},
};

}  // namespace

std::span<const FieldName> LineFields() { return kLine; }
std::span<const FieldName> BodyFields() { return kBody; }
std::span<const FieldName> ChatFields() { return kChat; }
std::span<const FieldName> CompletionFields() { return kCompletion; }
std::span<const FieldName> MessageFields() { return kMessage; }
std::span<const FieldName> PartFields() { return kPart; }
std::span<const FieldName> CallFields() { return kCall; }
std::span<const FieldName> ToolFields() { return kTool; }
std::span<const FieldName> FunctionFields() { return kFunction; }

}  // namespace cedar
