#include "app/batch_line.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/app/request_fixture.h"

namespace cedar {
namespace {

using json = nlohmann::ordered_json;

using BatchLineTest = RequestFixture;

TEST_F(BatchLineTest, ASilentLineHasTheDefaultsOfTheRelease) {
  const BatchRequest request = Read(LineOf(kMessages));
  EXPECT_EQ(request.answer.sampling.temperature, 1.0);
  EXPECT_EQ(request.answer.sampling.top_p, 0.95);
  EXPECT_EQ(request.answer.sampling.top_k, 0u);
  EXPECT_EQ(request.answer.sampling.min_p, 0.0);
  EXPECT_EQ(request.answer.max_tokens, 0u);
  EXPECT_TRUE(request.answer.thinking);
  EXPECT_NE(Prompt(LineOf(kMessages)).find("Reasoning Effort: 75 "), std::string::npos);
  EXPECT_EQ(request.choices, 1u);
}

TEST_F(BatchLineTest, EveryFieldIsRead) {
  const std::string line = LineOf(
      R"("model":"m","messages":[{"role":"system","content":"sys"},{"role":"user","content":"q"},)"
      R"({"role":"assistant","content":"a","reasoning_content":"r"},)"
      R"({"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}],)"
      R"("max_tokens":5,"max_completion_tokens":5,"min_tokens":2,"temperature":0,"top_p":1,)"
      R"("top_k":3,"min_p":0.25,"seed":-1,"reasoning_effort":"max","stop":["a","b"],)"
      R"("stop_token_ids":[7,5],"ignore_eos":true,"n":3,"logprobs":true,"top_logprobs":2,)"
      R"("logit_bias":{"9":-3.5},"presence_penalty":0.5,"frequency_penalty":-1,)"
      R"("repetition_penalty":1.5,"user":"u","metadata":{"a":"b"},"store":true,)"
      R"("service_tier":"x","stream":false,"tool_choice":"auto")");
  const BatchRequest request = Read(line);
  const AnswerOptions& answer = request.answer;
  EXPECT_EQ(request.model, "m");
  EXPECT_EQ(request.choices, 3u);
  EXPECT_EQ(answer.max_tokens, 5u);
  EXPECT_EQ(answer.min_tokens, 2u);
  EXPECT_EQ(answer.sampling.temperature, 0.0);
  EXPECT_EQ(answer.sampling.top_p, 1.0);
  EXPECT_EQ(answer.sampling.top_k, 3u);
  EXPECT_EQ(answer.sampling.min_p, 0.25);
  EXPECT_EQ(answer.seed, ~uint64_t{0});
  EXPECT_EQ(answer.stop, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(answer.stop_ids, (std::vector<int32_t>{7, 5}));
  EXPECT_TRUE(answer.ignore_eos);
  EXPECT_EQ(answer.top_logprobs, 2u);
  EXPECT_EQ(answer.logit_bias, (std::map<int32_t, double>{{9, -3.5}}));
  EXPECT_EQ(answer.presence_penalty, 0.5);
  EXPECT_EQ(answer.frequency_penalty, -1);
  EXPECT_EQ(answer.repetition_penalty, 1.5);
  const std::string prompt = Prompt(line);
  for (const char* part : {"Reasoning Effort: 100 ", "sys", "x\n\ny"}) {
    EXPECT_NE(prompt.find(part), std::string::npos) << prompt;
  }
}

TEST_F(BatchLineTest, LooseForms) {
  const std::string strict = Prompt(LineOf(kMessages));
  EXPECT_EQ(Prompt(R"({"messages":[{"role":"user","content":"hi"}]})"), strict);
  EXPECT_EQ(Prompt(R"({"prompt":"hi"})"), strict);
  EXPECT_EQ(Prompt(R"({"custom_id":"b","body":{"prompt":"hi"}})"), strict);
  EXPECT_EQ(Prompt(R"({"url":"/v1/completions","prompt":"hi"})"), "hi");
  const BatchRequest many =
      Read(R"({"url":"/v1/completions","body":{"prompt":["a","b"],"echo":true,"logprobs":1}})");
  EXPECT_EQ(many.prompts.size(), 2u);
  EXPECT_TRUE(many.response.echo);
  EXPECT_TRUE(many.answer.raw);
  EXPECT_EQ(Read(R"({"url":"/v1/completions","prompt":[5,6]})").prompts[0],
            (std::vector<int32_t>{5, 6}));
  EXPECT_EQ(Read(R"({"url":"/v1/completions","prompt":[[5],[6,7]]})").prompts[1],
            (std::vector<int32_t>{6, 7}));
}

TEST_F(BatchLineTest, ToolsAndFormats) {
  const std::string tools =
      R"("tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}])";
  EXPECT_TRUE(Read(With(tools)).answer.parse_calls);
  EXPECT_NE(Prompt(With(tools)).find(R"({"name": "f", "parameters": {"type": "object"}})"),
            std::string::npos);
  EXPECT_FALSE(Read(With(tools + R"(,"tool_choice":"none")")).answer.parse_calls);
  const std::string required =
      With(tools + R"(,"tool_choice":"required","reasoning_effort":"none")");
  EXPECT_TRUE(Read(required).answer.open_call);
  EXPECT_TRUE(Prompt(required).ends_with("<｜DSML｜ calls>\n"));
  EXPECT_NE(Read(With(R"("response_format":{"type":"json_object"})")).answer.grammar, nullptr);
  EXPECT_EQ(Read(With(R"("response_format":{"type":"text"})")).answer.grammar, nullptr);
  const std::string schema = With(
      R"("response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"enum":[1]}}})");
  EXPECT_NE(Read(schema).answer.grammar, nullptr);
  EXPECT_NE(Prompt(schema).find(R"({"enum": [1]})"), std::string::npos);
}

TEST_F(BatchLineTest, OneCallAtMost) {
  const std::string tools = R"("tools":[{"function":{"name":"f"}}],)";
  const std::string one = R"("parallel_tool_calls":false)",
                    several = R"("parallel_tool_calls":true)";
  // Where nothing is called it changes nothing.
  const std::string plain = R"("seed":1)", none = tools + R"("tool_choice":"none")";
  for (const std::string& fields : {plain, none}) {
    EXPECT_EQ(Prompt(With(fields + "," + one)), Prompt(With(fields))) << fields;
    EXPECT_EQ(Read(With(fields + "," + one)).answer.grammar, nullptr) << fields;
  }
  // A forced call has a grammar that knows of one only.
  const std::string required = R"("tool_choice":"required",)";
  const auto grammar = [&](const std::string& fields) {
    return Read(With(tools + fields)).answer.grammar;
  };
  EXPECT_EQ(grammar(required + several), grammar(required + R"("seed":1)"));
  EXPECT_NE(grammar(required + one), grammar(required + several));
  EXPECT_EQ(grammar(required + one),
            grammar(R"("tool_choice":{"type":"function","function":{"name":"f"}},)" + several));
  // A call that need not come has one too; behind it nothing follows.
  EXPECT_EQ(grammar(several), nullptr);
  EXPECT_NE(grammar(one), nullptr);
  EXPECT_EQ(grammar(one), grammar(R"("tool_choice":"auto",)" + one));
  EXPECT_EQ(
      ErrorOf(With(tools + R"("min_tokens":2,)" + one))
          .rfind("body.min_tokens: found 2, expected 1 at most, as body.parallel_tool_calls", 0),
      0u);
  EXPECT_EQ(ErrorOf(With(R"("parallel_tool_calls":1)")).rfind("body.parallel_tool_calls:", 0), 0u);
}

TEST_F(BatchLineTest, ArgumentsHaveEachKeyOnce) {
  const auto line = [](const std::string& arguments) {
    return LineOf(R"("messages":[{"role":"user","content":"hi"},{"role":"assistant",)"
                  R"("tool_calls":[{"function":{"name":"f","arguments":)" +
                  json(arguments).dump() + R"(}}]},{"role":"tool","content":"x"}])");
  };
  const std::string path = "body.messages[1].tool_calls[0].function.arguments: found the key ";
  EXPECT_EQ(ErrorOf(line(R"({"a":1,"b":2,"a":3})")).rfind(path + "\"a\" a second time", 0), 0u);
  EXPECT_EQ(ErrorOf(line(R"({"b":{"a":1,"a":1}})")).rfind(path + "\"a\" a second time", 0), 0u);
  EXPECT_NE(Prompt(line(R"({"a":1,"b":{"a":1}})")).find(R"(name="b" string="false">{"a": 1}<)"),
            std::string::npos);
  // No object: shown as it is.
  EXPECT_NE(Prompt(line(R"([{"a":1,"a":2}])")).find(R"(string="true">[{"a":1,"a":2}]<)"),
            std::string::npos);
}

TEST_F(BatchLineTest, AToolMayBeForced) {
  const std::string tools =
      R"("tools":[{"function":{"name":"f"}},{"function":{"name":"g"},"namespace":"s"}],)";
  const std::string named = R"("tool_choice":{"type":"function","function":{"name":"s::g"}})";
  for (const std::string& choice :
       {named,
        std::string(R"("tool_choice":{"type":"function","namespace":"s",)"
                    R"("function":{"name":"g"}})"),
        std::string(R"("tool_choice":"required")")}) {
    const BatchRequest thinking = Read(With(tools + choice));
    EXPECT_TRUE(thinking.answer.thinking && thinking.answer.must_call) << choice;
    EXPECT_FALSE(thinking.answer.open_call) << choice;  // it comes behind the thoughts
    EXPECT_NE(thinking.answer.grammar, nullptr) << choice;
    const BatchRequest quiet = Read(With(tools + choice + R"(,"reasoning_effort":"none")"));
    EXPECT_TRUE(quiet.answer.open_call && quiet.answer.must_call) << choice;
    EXPECT_NE(quiet.answer.grammar, thinking.answer.grammar) << choice;
  }
  const std::string both = named + R"(,"response_format":{"type":"json_object"})";
  const std::vector<std::pair<std::string, std::string>> kBad = {
      {tools + R"("tool_choice":{"type":"function","function":{"name":"h"}})",
       "body.tool_choice.function.name: found \"h\", expected one of the tools: f, s::g"},
      {tools + R"("tool_choice":{"type":"custom"})", "body.tool_choice.type: found \"custom\""},
      {tools + R"("tool_choice":{"type":"function"})", "body.tool_choice.function: missing"},
      {tools + R"("tool_choice":{"type":"function","function":{"name":"f","x":1}})",
       "body.tool_choice.function.x: not supported"},
      {tools + both, "body.tool_choice: a call is wanted, and by body.response_format"},
      {named, "body.tool_choice: there are no tools to call"}};
  for (const auto& [fields, message] : kBad) {
    EXPECT_EQ(ErrorOf(With(fields)).rfind(message, 0), 0u) << ErrorOf(With(fields));
  }
}

// An unfinished turn that ends with thoughts goes on with them.
TEST_F(BatchLineTest, AnUnfinishedThoughtIsThinking) {
  const auto line = [](const std::string& turn) {
    return LineOf(
        R"("messages":[{"role":"user","content":"q"},{"role":"assistant","prefix":true,)" + turn +
        "}]");
  };
  EXPECT_TRUE(Read(line(R"("content":"","reasoning_content":"Let me")")).answer.thinking);
  EXPECT_FALSE(Read(line(R"("content":"By ","reasoning_content":"Let me")")).answer.thinking);
}

TEST_F(BatchLineTest, ToolsInNamespaces) {
  const std::string plain = R"("tools":[{"type":"function","function":{"name":"crm::find",)"
                            R"("description":"Orders.\nFinds one","parameters":{}}}])";
  const std::string expected = Prompt(With(plain));
  for (const char* tool :
       {R"({"type":"function","namespace":{"name":"crm","description":"Orders."},)"
        R"("function":{"name":"find","description":"Finds one","parameters":{}}})",
        R"({"type":"function","function":{"namespace":{"name":"crm","description":"Orders."},)"
        R"("name":"find","description":"Finds one","parameters":{}}})",
        R"({"type":"function","namespace":"crm",)"
        R"("function":{"name":"crm::find","description":"Orders.\nFinds one","parameters":{}}})"}) {
    EXPECT_EQ(Prompt(With(R"("tools":[)" + std::string(tool) + "]")), expected) << tool;
  }
  EXPECT_NE(expected.find("crm::find"), std::string::npos);
  for (const char* bad :
       {R"({"namespace":"a","function":{"name":"b::c"}})", R"({"function":{"name":"a::b::c"}})",
        R"({"namespace":{"description":"x"},"function":{"name":"c"}})"}) {
    EXPECT_NE(ErrorOf(With(R"("tools":[)" + std::string(bad) + "]")).find("body.tools[0]"),
              std::string::npos)
        << bad;
  }
  // A call of an earlier turn reads the same, however its namespace was given.
  const auto called = [&](const std::string& call) {
    return Prompt(LineOf(R"("messages":[{"role":"user","content":"hi"},{"role":"assistant",)"
                         R"("tool_calls":[)" +
                         call + R"(]},{"role":"tool","content":"x"}])"));
  };
  EXPECT_EQ(called(R"({"namespace":"crm","function":{"name":"find","arguments":"{}"}})"),
            called(R"({"function":{"name":"crm::find","arguments":"{}"}})"));
}

TEST_F(BatchLineTest, ToolsMayStandInASystemMessage) {
  const std::string tools = R"("tools":[{"type":"function","function":{"name":"find"}}])";
  const std::string inside = LineOf(R"("messages":[{"role":"system","content":"s",)" + tools +
                                    R"(},{"role":"user","content":"hi"}])");
  const std::string beside = LineOf(
      R"("messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],)" + tools);
  EXPECT_EQ(Prompt(inside), Prompt(beside));
  EXPECT_TRUE(Read(inside).answer.parse_calls);
}

TEST_F(BatchLineTest, PartsOfAToolsResult) {
  const auto result = [&](const std::string& part) {
    return LineOf(R"("messages":[{"role":"tool","content":[{"type":"text","text":"a"},)" + part +
                  R"(]}])");
  };
  EXPECT_NE(Prompt(result(R"({"type":"audio","data":"..."})"))
                .find("<tool_result>a\n\n[Unsupported audio]</tool_result>"),
            std::string::npos);
  EXPECT_NE(ErrorOf(result(R"({"type":"image_url","image_url":"x"})")).find("content[1].type"),
            std::string::npos);
}

TEST_F(BatchLineTest, ThinkingMayBePreserved) {
  const std::string turns = R"("messages":[{"role":"user","content":"q1"},{"role":"assistant",)"
                            R"("content":"a1","reasoning_content":"r1"},)"
                            R"({"role":"user","content":"q2"}])";
  EXPECT_EQ(Prompt(LineOf(turns)).find("r1</think>"), std::string::npos);
  EXPECT_NE(Prompt(LineOf(turns + R"(,"chat_template_kwargs":{"preserve_thinking":true})"))
                .find("<think>r1</think>a1"),
            std::string::npos);
}

TEST_F(BatchLineTest, JsonThatIsTooDeepIsAnError) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    std::string deep, end;
    for (int i = 0; i < 100'000; ++i) {
      deep += open;
      end += close;
    }
    const std::string value = deep + (open[0] == '{' ? "1" : "") + end;
    EXPECT_NE(ErrorOf(value).find("levels"), std::string::npos);
    EXPECT_NE(ErrorOf(With(R"("metadata":)" + value)).find("levels"), std::string::npos);
    EXPECT_NE(ErrorOf(value.substr(0, value.size() / 2)).find("levels"), std::string::npos);
    // Arguments are JSON inside of a string: what cannot be read is shown as it is.
    const std::string call = R"("messages":[{"role":"user","content":"hi"},{"role":"assistant",)"
                             R"("tool_calls":[{"function":{"name":"f","arguments":)" +
                             json(value).dump() + R"(}}]},{"role":"tool","content":"x"}])";
    EXPECT_NE(Prompt(LineOf(call)).find("name=\"arguments\" string=\"true\""), std::string::npos);
  }
}

TEST_F(BatchLineTest, Efforts) {
  EXPECT_FALSE(Read(With(R"("reasoning_effort":"none")")).answer.thinking);
  for (const auto& [field, effort] : std::vector<std::pair<std::string, std::string>>{
           {R"("reasoning_effort":"low")", "50"},
           {R"("reasoning_effort":"high")", "75"},
           {R"("reasoning_effort":1)", "1"},
           {R"("reasoning_effort":null)", "75"},
           {R"("chat_template_kwargs":{"thinking":true})", "75"}}) {
    EXPECT_NE(Prompt(With(field)).find("Reasoning Effort: " + effort + " "), std::string::npos);
  }
  EXPECT_FALSE(Read(With(R"("chat_template_kwargs":{"enable_thinking":false})")).answer.thinking);
}

TEST_F(BatchLineTest, EitherNameOfTheLimitCounts) {
  EXPECT_EQ(Read(With(R"("max_tokens":5)")).answer.max_tokens, 5u);
  EXPECT_EQ(Read(With(R"("max_completion_tokens":6)")).answer.max_tokens, 6u);
}

TEST_F(BatchLineTest, ASeedIsGivenOrComesFromTheLine) {
  EXPECT_EQ(Read(With(R"("seed":18446744073709551615)")).answer.seed, 18446744073709551615u);
  const BatchRequest once = Read(With(R"("top_k":1)"));
  EXPECT_EQ(once.answer.seed, Read(With(R"("top_k":1)")).answer.seed);
  EXPECT_NE(once.answer.seed, Read(With(R"("top_k":2)")).answer.seed);
}

TEST_F(BatchLineTest, ErrorsNameTheField) {
  const std::vector<LineAndError> kBad{
      {"", "line: byte 1: expected JSON, found unexpected end of input"},
      {"{", "line: byte 2: expected JSON, found unexpected end of input"},
      {"{} {}", "line: byte 4: expected JSON, found unexpected '{'; expected end of input"},
      {R"({"prompt":"a","prompt":"b"})", "line: found the key \"prompt\" a second time"},
      {LineOf(R"("messages":[{"role":"user","role":"system","content":"a"}])"),
       "line: found the key \"role\" a second time"},
      {"{\"custom_id\":\"\xff\"}",
       "line: byte 15: expected JSON, found invalid string: ill-formed UTF-8 byte"},
      {"[]", "line: found [], expected an object"},
      {"{}", "messages: missing"},
      {R"({"custom_id":7})", "custom_id: found 7, expected a string"},
      {R"({"custom_id":"a","method":"GET"})", "method: found \"GET\", expected \"POST\""},
      {R"({"custom_id":"a","method":"POST","url":"/v1/embeddings"})",
       "url: found \"/v1/embeddings\", expected \"/v1/chat/completions\""},
      {R"({"custom_id":"a","body":{"prompt":"p"},"x":1})", "x: not supported"},
      {R"({"prompt":"p","x":1})", "x: not supported"},
      {std::string(1000000, '['), "line: found JSON of more than 500 levels"},
      {std::string(1000000, '[') + std::string(1000000, ']'),
       "line: found JSON of more than 500 levels"},
      {LineOf(""), "body.messages: missing"},
      {LineOf(R"("messages":[])"), "body.messages: found [], expected a list of messages"},
      {LineOf(R"("messages":"hi")"), "body.messages: found \"hi\""},
      {LineOf(R"("messages":["hi"])"), "body.messages[0]: found \"hi\", expected an object"},
      {LineOf(R"("messages":[{"role":"user"}])"), "body.messages[0].content: missing"},
      {LineOf(R"("messages":[{"role":"critic","content":"x"}])"), "body.messages[0].role: found"},
      {LineOf(R"("messages":[{"role":"user","content":7}])"), "body.messages[0].content: found 7"},
      {LineOf(R"("messages":[{"role":"user","content":[{"type":"image_url"}]}])"),
       "body.messages[0].content[0].type: found \"image_url\", expected \"text\""},
      {LineOf(R"("messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}])"),
       "body.messages: found"},
      {With(R"("stream":true)"), "body.stream: found true, expected false"},
      {With(R"("tools":[{}])"), "body.tools[0].function: missing"},
      {With(R"("tool_choice":"f")"), "body.tool_choice: found \"f\""},
      {With(R"("tool_choice":"required")"), "body.tool_choice: there are no tools to call"},
      {With(R"("frequency":1)"), "body.frequency: not supported"},
      {With(R"("prompt":"p")"), "body.prompt: not supported"},
      {With(R"("n":0)"), "body.n: found 0"},
      {With(R"("stop":[""])"), "body.stop: found"},
      {With(R"("stop_token_ids":[1000000])"), "body.stop_token_ids: found 1000000"},
      {With(R"("logit_bias":{"x":1})"), "body.logit_bias: found \"x\""},
      {With(R"("top_logprobs":2)"), "body.top_logprobs: found 2"},
      {With(R"("repetition_penalty":0)"), "body.repetition_penalty: found 0"},
      {With(R"("presence_penalty":3)"), "body.presence_penalty: found 3"},
      {With(R"("max_tokens":2,"min_tokens":3)"), "body.min_tokens: found 3"},
      {With(R"("response_format":{"type":"xml"})"), "body.response_format.type: found \"xml\""},
      {With(R"("response_format":{"type":"json_schema","json_schema":{"schema":{"not":{}}}})"),
       "JSON schema, #: no finite value meets it"},
      {With(R"("response_format":{"type":"json_object"},"min_tokens":2)"),
       "body.min_tokens: found 2, expected 1 at most, as body.response_format says"},
      {With(R"("response_format":{"type":"json_object"},"ignore_eos":true)"),
       "body.ignore_eos: found true, expected false, as body.response_format says"},
      {With(R"("tool_choice":"required","min_tokens":2,)"
            R"("tools":[{"type":"function","function":{"name":"f"}}])"),
       "body.min_tokens: found 2, expected 1 at most, as body.tool_choice says"},
      {With(R"("reasoning_effort":"none","chat_template_kwargs":{"thinking":true})"),
       "body.chat_template_kwargs.thinking: found true, expected no contradiction to "
       "body.reasoning_effort, which is \"none\""},
      {With(R"("reasoning_effort":"none","chat_template_kwargs":{"enable_thinking":true})"),
       "body.chat_template_kwargs.enable_thinking: found true"},
  };
  ExpectErrors(kBad);
}

TEST_F(BatchLineTest, ErrorsNameTheFieldAndItsRange) {
  ExpectErrors({
      {With(R"("model":7)"), "body.model: found 7, expected a string"},
      {With(R"("max_tokens":0)"), "body.max_tokens: found 0"},
      {With(R"("max_tokens":-1)"), "body.max_tokens: found -1"},
      {With(R"("max_tokens":1.5)"), "body.max_tokens: found 1.5"},
      {With(R"("max_tokens":5,"max_completion_tokens":6)"), "body.max_completion_tokens: found 6"},
      {With(R"("temperature":-0.1)"), "body.temperature: found -0.1"},
      {With(R"("temperature":"0")"), "body.temperature: found \"0\""},
      {With(R"("top_p":0)"), "body.top_p: found 0, expected a number above 0, at most 1"},
      {With(R"("top_p":1.1)"), "body.top_p: found 1.1"},
      {With(R"("top_k":-2)"), "body.top_k: found -2"},
      {With(R"("min_p":2)"), "body.min_p: found 2"},
      {With(R"("seed":1.5)"), "body.seed: found 1.5"},
      {With(R"("reasoning_effort":"middle")"), "body.reasoning_effort: found \"middle\""},
      {With(R"("reasoning_effort":0)"), "body.reasoning_effort: found 0"},
      {With(R"("reasoning_effort":101)"), "body.reasoning_effort: found 101"},
  });
}

// What vLLM and OpenAI's first API score prompts with.
TEST_F(BatchLineTest, OnlyAnEchoMayStandAlone) {
  const auto completion = [](const std::string& fields) {
    return R"({"url":"/v1/completions","body":{"prompt":"a",)" + fields + "}}";
  };
  EXPECT_TRUE(Read(completion(R"("echo":true,"max_tokens":0)")).answer.prompt_only);
  EXPECT_FALSE(Read(completion(R"("echo":true,"max_tokens":1)")).answer.prompt_only);
  EXPECT_EQ(ErrorOf(completion(R"("max_tokens":0)")).rfind("body.max_tokens: found 0", 0), 0u);
  EXPECT_EQ(ErrorOf(completion(R"("echo":true,"max_tokens":0,"min_tokens":1)"))
                .rfind("body.min_tokens: found 1", 0),
            0u);
}

TEST_F(BatchLineTest, LongValuesAreCutBetweenCodePoints) {
  std::string text;
  while (text.size() < 200) text += "ä";
  const std::string message = ErrorOf(With("\"temperature\":\"" + text + "\""));
  EXPECT_LT(message.size(), 200u);
  EXPECT_NO_THROW(json(message).dump());  // throws on what is not UTF-8
}

}  // namespace
}  // namespace cedar
