// What structured output costs a token, with the 129,280 tokens of the release: the look-up of what
// may come next, and the step behind the token that came. A decode step of the released model takes
// some 60 ms, so that 1 % of it is 600 us.
//
//   grammar_bench
//
//   us/token   of an answer that the schema allows: mean of its tokens
//   worst_us   the slowest of them, a median over the iterations
//
// `first`: a schema that was not seen before, its compilation included. `again`: one whose answers
// have the same form. `pick`: the likeliest token of a step, without and with a mask.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/call_grammar.h"
#include "app/json_schema.h"
#include "app/token_mask.h"
#include "engine/sampler.h"
#include "simd/error.h"
#include "tests/weights/tokenizer_data.h"
#include "weights/random.h"

namespace cedar {
namespace {

using Json = nlohmann::ordered_json;

struct Case {
  const char* schema;  // empty: any object
  const char* answer;
  bool call = false;  // of a tool with this schema
};

constexpr Case kInvoice = {
    R"({"type":"object","additionalProperties":false,
  "required":["number","date","supplier","currency","lines","total","paid"],
  "properties":{"number":{"type":"string"},"date":{"type":"string"},
    "supplier":{"type":"object","additionalProperties":false,"required":["name","address"],
      "properties":{"name":{"type":"string"},"address":{"type":"string"},"vat":{"type":"string"}}},
    "currency":{"enum":["EUR","USD","GBP","CHF"]},
    "lines":{"type":"array","maxItems":200,"items":{"type":"object","additionalProperties":false,
      "required":["text","quantity","price"],"properties":{"text":{"type":"string"},
        "quantity":{"type":"integer","minimum":1,"maximum":10000},"price":{"type":"number"}}}},
    "total":{"type":"number"},"paid":{"type":"boolean"},"remarks":{"type":["string","null"]}}})",
    R"({"number": "2024-00817", "date": "2024-03-09", "supplier": {"name": "Møller & Søn A/S",
"address": "Havnegade 12, 5000 Odense C, Danmark", "vat": "DK12345678"}, "currency": "EUR", "lines":
[{"text": "Oak boards, planed, 27 mm \"select\"", "quantity": 40, "price": 18.75},
{"text": "Delivery within five working days", "quantity": 1, "price": 95.0},
{"text": "木材防腐剂,五升装", "quantity": 3, "price": 41.2}], "total": 968.6, "paid": false,
"remarks": "Payable within 30 days; quote the number.\nNo cash."})"};

constexpr Case kLabels = {
    R"({"type":"object","required":["reason","label","confidence","topics"],
  "properties":{"reason":{"type":"string"},"label":{"enum":["positive","neutral","negative"]},
    "confidence":{"type":"integer","minimum":0,"maximum":100},
    "topics":{"type":"array","minItems":1,"maxItems":5,
              "items":{"enum":["price","quality","delivery","service","packaging"]}}}})",
    R"({"reason": "The customer praises the finish and the quick delivery, but finds the price high.",
"label": "positive", "confidence": 82, "topics": ["quality", "delivery", "price"]})"};

// Refers to itself: no two levels are in the same state.
constexpr Case kTree = {
    R"({"$ref":"#/$defs/node","$defs":{"node":{"type":"object","additionalProperties":false,
  "required":["name","children"],"properties":{"name":{"type":"string"},"note":{"type":"string"},
    "children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}})",
    R"({"name": "Holding company", "children": [{"name": "Northern division", "note": "since 1998",
"children": [{"name": "Shipping and harbour services", "children": [{"name": "Tugs", "children": []},
{"name": "Pilots", "note": "with the state", "children": []}]}]}, {"name": "Southern division",
"children": [{"name": "Vineyards", "children": []}]}]})"};

constexpr Case kAnyObject = {
    "",
    R"({"title": "Résumé of the meeting", "people": ["Ana Lucía", "Jürgen", "小林"], "decisions":
[{"what": "Move the launch to May", "votes": {"for": 7, "against": 2}}, {"what": "Hire a \"second\"
tester", "votes": {"for": 9, "against": 0}, "cost": 58000.5}], "next": null, "open": true})"};

constexpr Case kCall = {
    R"({"type":"object","additionalProperties":false,"required":["to","subject","text"],
  "properties":{"to":{"type":"string"},"subject":{"type":"string"},"text":{"type":"string"},
    "copies":{"type":"array","items":{"type":"string"}},"urgent":{"type":"boolean"}}})",
    R"(<｜DSML｜ invoke name="send_mail">
<｜DSML｜ parameter name="to" string="true">harbour@north.example</｜DSML｜ parameter>
<｜DSML｜ parameter name="subject" string="true">Moorings <for the "Tern"></｜DSML｜ parameter>
<｜DSML｜ parameter name="text" string="true">Could you keep berth 7 free on Friday? It is 14 m long.
Größe und Tiefgang wie im März. 谢谢!</｜DSML｜ parameter>
<｜DSML｜ parameter name="copies" string="false">["crew@tern.example", "ana@tern.example"]</｜DSML｜ parameter>
</｜DSML｜ invoke>
</｜DSML｜ calls>)",
    /*call=*/true};

const std::array<const Case*, 5> kCases = {&kInvoice, &kLabels, &kTree, &kAnyObject, &kCall};

std::unique_ptr<Grammar> GrammarOf(const Case& of) {
  if (of.call) {
    const CallableTool tool{"send_mail", Json::parse(of.schema)};
    return GrammarOfCalls({&tool, 1}, {.opened = true});
  }
  return *of.schema == '\0' ? GrammarOfAnyObject() : GrammarOfSchema(Json::parse(of.schema));
}

double Microseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - since)
      .count();
}

std::vector<int32_t> TokensOf(const Case& of) {
  std::string answer = of.answer;
  if (of.call) return RealTokenizer().EncodeWithControl(answer);
  // White space is that of an answer in one line.
  std::replace(answer.begin(), answer.end(), '\n', ' ');
  return RealTokenizer().EncodePlain(answer);
}

// Goes through an answer and returns the time of its slowest token.
double Follow(TokenMasks& masks, const std::vector<int32_t>& answer) {
  TokenMasks::State state = masks.start();
  double worst = 0;
  for (const int32_t id : answer) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(&masks.Allowed(state));
    state = masks.Advance(state, id);
    worst = std::max(worst, Microseconds(start));
  }
  CEDAR_CHECK(masks.Accepts(state));
  return worst;
}

void Report(benchmark::State& state, size_t tokens, std::vector<double>& worst) {
  state.counters["us/token"] = benchmark::Counter(
      static_cast<double>(tokens) * 1e-6,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  std::nth_element(worst.begin(), worst.begin() + static_cast<long>(worst.size() / 2), worst.end());
  state.counters["worst_us"] = worst[worst.size() / 2];
}

// The schema is new each time, or the same.
void Answer(benchmark::State& state, bool first) {
  static const auto vocabulary = std::make_shared<Vocabulary>(RealTokenizer());
  const Case& of = *kCases[static_cast<size_t>(state.range(0))];
  const std::vector<int32_t> answer = TokensOf(of);
  std::unique_ptr<TokenMasks> masks;
  std::vector<double> worst;
  if (!first) {
    masks = std::make_unique<TokenMasks>(GrammarOf(of), vocabulary);
    Follow(*masks, answer);
  }
  for (auto _ : state) {
    if (first) masks = std::make_unique<TokenMasks>(GrammarOf(of), vocabulary);
    worst.push_back(Follow(*masks, answer));
  }
  Report(state, answer.size(), worst);
}
BENCHMARK_CAPTURE(Answer, first, true)->DenseRange(0, 4)->Iterations(15);
BENCHMARK_CAPTURE(Answer, again, false)->DenseRange(0, 4)->Iterations(101);

// The likeliest token: of all, of the few that may begin an object, of the many within a string.
void Pick(benchmark::State& state, const char* before) {
  const size_t vocab = static_cast<size_t>(RealTokenizer().size());
  std::vector<float> logits(vocab);
  Random random(1);
  for (float& logit : logits) logit = static_cast<float>(random.NextUnit());
  TokenMasks masks(GrammarOfAnyObject(), std::make_shared<Vocabulary>(RealTokenizer()));
  SamplingParams greedy;
  greedy.temperature = 0;
  Sampler sampler(greedy, 1);
  for (auto _ : state) {
    TokenFilter filter;
    if (before != nullptr) filter.allowed = &masks.Allowed(masks.Advance(masks.start(), before));
    benchmark::DoNotOptimize(sampler.Pick(logits, filter));
  }
}
BENCHMARK_CAPTURE(Pick, all, nullptr)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Pick, begin, "")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Pick, string, "{\"a")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cedar
