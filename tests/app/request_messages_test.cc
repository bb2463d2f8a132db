// Messages as official clients and other servers' users replay them.

#include <string>

#include "tests/app/request_fixture.h"

namespace cedar {
namespace {

using RequestMessages = RequestFixture;

constexpr const char* kNext = R"(,{"role":"user","content":"next"})";

TEST_F(RequestMessages, AReplayedAnswerIsTakenWithAllItsMembers) {
  const std::string expected =
      Prompt(Then(R"({"role":"assistant","content":"a"})" + std::string(kNext)));
  for (
      const char* members :
      {R"("annotations":[],"audio":null,"refusal":null,"function_call":null,"tool_calls":null)",
       R"("annotations":[{"type":"url_citation","url_citation":{}}],"tool_calls":[])",
       R"("name":"Ann","refusal":"","reasoning":"why","reasoning_content":"why")",
       R"("reasoning":"why","reasoning_details":[{"type":"reasoning.text","text":"why"}])",
       R"("id":"m","type":"message","status":"completed","parsed":{"a":1},"images":[],"partial":false)",
       R"("finish_reason":"stop","citations":[],"additional_kwargs":{},"usage":{"x":1})",
       R"("provider_specific_fields":{"a":1},"prefix":false,"task":"","tools":[])"}) {
    EXPECT_EQ(
        Prompt(Then(R"({"role":"assistant","content":"a",)" + std::string(members) + "}" + kNext)),
        expected)
        << members;
  }
}

TEST_F(RequestMessages, ThoughtsHaveTwoNames) {
  const auto prompt = [&](const std::string& member) {
    return Prompt(Then(R"({"role":"assistant","content":"a",)" + member + "}" + kNext,
                       R"("chat_template_kwargs":{"preserve_thinking":true})"));
  };
  EXPECT_NE(prompt(R"("reasoning":"why")").find("<think>why</think>a"), std::string::npos);
  EXPECT_EQ(prompt(R"("reasoning":"why")"), prompt(R"("reasoning_content":"why")"));
  ExpectErrors({{Then(R"({"role":"assistant","content":"a","reasoning":"x",)"
                      R"("reasoning_content":"y"})"),
                 "body.messages[1].reasoning: found \"x\", expected the same as reasoning_content"},
                {Then(R"({"role":"assistant","content":"a","thinking_blocks":[{}]})"),
                 "body.messages[1].thinking_blocks: found a list"}});
}

TEST_F(RequestMessages, NamesAndRoles) {
  const std::string plain = LineOf(R"("messages":[{"role":"system","content":"s"},)"
                                   R"({"role":"user","content":"u"}])");
  EXPECT_EQ(Prompt(LineOf(R"("messages":[{"role":"developer","content":"s","name":"d"},)"
                          R"({"role":"user","content":"u","name":"Ann"}])")),
            Prompt(plain));
  EXPECT_EQ(
      Prompt(Then(R"({"role":"assistant","content":"a"},{"role":"developer","content":"s"})")),
      Prompt(Then(R"({"role":"assistant","content":"a"},{"role":"system","content":"s"})")));
}

TEST_F(RequestMessages, SilentMessages) {
  const auto then = [&](const std::string& message) { return Prompt(Then(message + kNext)); };
  const std::string empty = then(R"({"role":"assistant","content":""})");
  EXPECT_EQ(then(R"({"role":"assistant","content":null})"), empty);
  EXPECT_EQ(then(R"({"role":"assistant","content":[]})"), empty);
  EXPECT_EQ(then(R"({"role":"assistant","content":null,"reasoning":"cut","tool_calls":[]})"),
            empty);
  EXPECT_EQ(then(R"({"role":"tool","content":null,"tool_call_id":"1"})"),
            then(R"({"role":"tool","content":"","tool_call_id":"1"})"));
  EXPECT_EQ(then(R"({"role":"tool","content":[]})"), then(R"({"role":"tool","content":""})"));
  // What was said instead.
  EXPECT_EQ(then(R"({"role":"assistant","content":null,"refusal":"No."})"),
            then(R"({"role":"assistant","content":"No."})"));
  ExpectErrors(
      {{Then(R"({"role":"assistant","content":"a","refusal":"No."})"),
        "body.messages[1].refusal: found \"No.\", expected null beside content"},
       {Then(R"({"role":"assistant"})" + std::string(kNext)), "body.messages[1].content: missing"},
       {Then(R"({"role":"user","content":null})"), "body.messages[1].content: missing"}});
}

TEST_F(RequestMessages, TextPartsOfEveryKind) {
  const std::string expected = Prompt(LineOf(R"("messages":[{"role":"user","content":"a\n\nb"}])"));
  for (const char* parts :
       {R"({"type":"input_text","text":"a"},{"type":"output_text","text":"b","annotations":[]})",
        R"({"type":"text","text":"a","cache_control":{"type":"ephemeral"}},"b")",
        R"({"type":"refusal","refusal":"a","text":null},{"text":"b"})"}) {
    EXPECT_EQ(
        Prompt(LineOf(R"("messages":[{"role":"user","content":[)" + std::string(parts) + "]}]")),
        expected)
        << parts;
  }
  EXPECT_NE(Prompt(Then(R"({"role":"tool","content":[{"type":"output_text","text":"x"}]})"))
                .find("<tool_result>x</tool_result>"),
            std::string::npos);
}

TEST_F(RequestMessages, CallsBeforeThereWereTools) {
  const std::string expected =
      Prompt(Then(R"({"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"1",)"
                  R"("function":{"name":"f","arguments":"{\"a\":1}"}}]},)"
                  R"({"role":"tool","tool_call_id":"1","name":"f","content":"r"})"));
  EXPECT_EQ(Prompt(Then(R"({"role":"assistant","content":null,"tool_calls":[],)"
                        R"("function_call":{"name":"f","arguments":"{\"a\":1}"}},)"
                        R"({"role":"function","name":"f","content":"r"})")),
            expected);
  EXPECT_EQ(Prompt(Then(R"({"role":"assistant","tool_calls":[{"id":null,"function":)"
                        R"({"name":"f","arguments":{"a":1}},"provider_specific_fields":{}}]},)"
                        R"({"role":"tool","content":"r"})")),
            expected);
}

TEST_F(RequestMessages, ToolsAreToldWithoutWhatIsForServers) {
  const auto tool = [&](const std::string& members, const std::string& beside = "") {
    return Prompt(With(R"("tools":[{"type":"function","function":{"name":"f")" + members + "}" +
                       beside + "}]"));
  };
  EXPECT_EQ(tool(R"(,"strict":null,"description":null,"parameters":null)"), tool(""));
  EXPECT_EQ(tool("", R"(,"cache_control":{"type":"ephemeral"})"), tool(""));
  EXPECT_EQ(tool(R"(,"cache_control":{"type":"ephemeral"})"), tool(""));
  EXPECT_NE(tool(R"(,"returns":{"type":"string"})").find(R"("returns": {"type": "string"})"),
            std::string::npos);
}

TEST_F(RequestMessages, TheLastMessageMayGoOn) {
  const std::string turn = R"({"role":"assistant","content":"By "})";
  const std::string prefix = R"({"role":"assistant","content":"By ","prefix":true})";
  for (const char* fields : {R"("continue_final_message":true)",
                             R"("continue_final_message":true,"add_generation_prompt":false)"}) {
    EXPECT_EQ(Prompt(Then(turn, fields)), Prompt(Then(prefix))) << fields;
  }
  const std::string closed = Prompt(Then(turn, R"("add_generation_prompt":false)"));
  EXPECT_TRUE(closed.ends_with("By <｜end▁of▁sentence｜>")) << closed;
  EXPECT_TRUE(Prompt(With(R"("add_generation_prompt":false)")).ends_with("<｜User｜>hi"));
  EXPECT_FALSE(Read(With(R"("add_generation_prompt":false)")).answer.thinking);
  ExpectErrors({{Then(turn, R"("continue_final_message":true,"add_generation_prompt":true)"),
                 "body.continue_final_message: found true, expected false, as "
                 "body.add_generation_prompt is true"},
                {With(R"("continue_final_message":true)"),
                 "body.continue_final_message: found true, expected false, or a last message"},
                {Then(turn), "body.messages: found an object, expected a last message"}});
}

TEST_F(RequestMessages, AnEchoIsTheAssistantsOwn) {
  const std::string fields = R"("continue_final_message":true,"echo":true)";
  EXPECT_EQ(Read(Then(R"({"role":"assistant","content":"By "})", fields)).response.before, "By ");
  EXPECT_EQ(Read(With(R"("echo":true)")).response.before, "");
}

// In thinking mode a task of this kind always opens with thoughts.
TEST_F(RequestMessages, AnActionIsThoughtAbout) {
  const std::string first = R"("messages":[{"role":"user","content":"q","task":"action"})";
  const std::string later =
      first + R"(,{"role":"assistant","content":"Search"},{"role":"user","content":"next"}])";
  const std::string opened = "<｜User｜>q<｜Assistant｜><think><｜action｜>";
  EXPECT_TRUE(Prompt(LineOf(first + "]")).ends_with(opened));
  EXPECT_TRUE(Read(LineOf(first + "]")).answer.thinking);
  EXPECT_NE(Prompt(LineOf(later)).find(opened + "Search<｜end▁of▁sentence｜>"), std::string::npos)
      << Prompt(LineOf(later));
  EXPECT_TRUE(Prompt(LineOf(first + R"(],"reasoning_effort":"none")"))
                  .ends_with("<｜User｜>q<｜Assistant｜></think><｜action｜>"));
}

// The released encoder refuses it; here it is what somebody wrote.
TEST_F(RequestMessages, AnImagePlaceholderInTextIsText) {
  const BatchRequest request =
      Read(LineOf(R"("messages":[{"role":"user","content":"<｜deepseek_image｜>"}])"));
  const auto image = engine_.tokenizer().FindControl("<｜deepseek_image｜>");
  for (const int32_t id : request.prompts[0]) EXPECT_NE(id, image.value_or(-1));
  EXPECT_NE(engine_.tokenizer().Decode(request.prompts[0]).find("<｜User｜><｜deepseek_image｜>"),
            std::string::npos);
}

}  // namespace
}  // namespace cedar
