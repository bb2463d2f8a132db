// A question about many files of text (cedar batch --documents), as a program.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/batch_lines.h"
#include "tests/app/run_process.h"
#include "tests/temp_folder.h"

namespace cedar::test {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

constexpr const char* kText = "The rope costs 5 pounds.";

ProcessResult Ask(const Names& documents, const std::string& prompt, const std::string& out,
                  const Names& options = {}, const std::string& input = "") {
  Names arguments = {"batch", "demo", "--documents"};
  arguments.insert(arguments.end(), documents.begin(), documents.end());
  for (const std::string& option : Names{"--prompt", prompt, "-o", out, "--temperature", "0",
                                         "--no-think", "--max-tokens", "6"}) {
    arguments.push_back(option);
  }
  arguments.insert(arguments.end(), options.begin(), options.end());
  return RunCedar(arguments, {.input = input});
}

// The lines of an output by their custom_id.
std::map<std::string, json> AnswersIn(const std::string& path) {
  std::map<std::string, json> answers;
  for (const json& line : ParseLines(ReadBytes(path))) answers[line["custom_id"]] = line;
  return answers;
}

const json& MessageOf(const json& line) {
  return line.at("response").at("body").at("choices").at(0).at("message");
}

// What is answered to this very text.
json AnswerTo(const std::string& text) {
  json body = Question(text);
  body["max_tokens"] = 6;
  return MessageOf(RunBatch(BatchLine("a", body)).lines.at(0));
}

// The answers to all texts of a folder.
std::map<std::string, json> AskAll(const TempFolder& folder, const std::string& prompt,
                                   int exit_code = 0, const Names& options = {}) {
  const std::string out = folder / "out.jsonl";
  const ProcessResult result = Ask({folder / "*.txt"}, prompt, out, options);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  return AnswersIn(out);
}

TEST(BatchDocumentsTest, StandWhereverTheTemplateSays) {
  const TempFolder folder;
  const std::string a = folder.Write("a.txt", "A rope. {document}");
  const std::string b = folder.Write("b.txt", "\xEF\xBB\xBFThe \"map\"\ncosts\t7\\2 \x01.");
  folder.Write("c.md", "No name of the pattern.");
  const auto answers = AskAll(folder, "Read {document} Or {document} What is sold?");
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(MessageOf(answers.at(a)),
            AnswerTo("Read A rope. {document} Or A rope. {document} What is sold?"));
  const std::string map = "The \"map\"\ncosts\t7\\2 \x01.";
  EXPECT_EQ(MessageOf(answers.at(b)), AnswerTo("Read " + map + " Or " + map + " What is sold?"));
}

TEST(BatchDocumentsTest, ComeFirstWithoutAPlace) {
  const TempFolder folder;
  const std::string a = folder.Write("a.txt", kText);
  EXPECT_EQ(MessageOf(AskAll(folder, "What is sold?").at(a)),
            AnswerTo(std::string(kText) + "\n\nWhat is sold?"));
}

TEST(BatchDocumentsTest, ThoseWithoutTextFailAloneAndSayWhatTheyAre) {
  const TempFolder folder;
  const std::map<std::string, std::string> texts = {{"empty", ""},
                                                    {"blank", " \r\n\t\xC2\xA0\n"},
                                                    {"mark", "\xEF\xBB\xBF\n"},
                                                    {"wide", "\xFF\xFEH\x01"},
                                                    {"zip", std::string("\x1F\x8B\x08\x00", 4)},
                                                    {"pdf", "%PDF-1.4\nHello"},
                                                    {"nul", std::string("Hello\0you", 9)},
                                                    {"latin", "caf\xE9"}};
  const std::map<std::string, std::string> expected = {
      {"empty", "found an empty file, expected text"},
      {"blank", "found nothing but white space, expected text"},
      {"mark", "found nothing but white space, expected text"},
      {"wide", "found UTF-16 text, expected UTF-8 text"},
      {"zip", "found gzip data, expected UTF-8 text"},
      {"pdf", "found a PDF file, expected UTF-8 text"},
      {"nul", "byte 5: found a NUL, as binary files have, expected text"},
      {"latin", "byte 3: found 0xe9, expected UTF-8"},
      {"fifo", "found a FIFO, expected a regular file"},
      {"folder",
       "found a directory, expected a regular file (DIR/* means the files in it, DIR/** those "
       "below "
       "it too)"}};
  for (const auto& [name, text] : texts) folder.Write(name + ".txt", text);
  const std::string good = folder.Write("good.txt", kText), link = folder / "link.txt";
  ASSERT_EQ(symlink(good.c_str(), link.c_str()), 0);
  ASSERT_EQ(mkfifo((folder / "fifo.txt").c_str(), 0600), 0);
  ASSERT_EQ(mkdir((folder / "folder.txt").c_str(), 0700), 0);
  const auto answers = AskAll(folder, "?", /*exit_code=*/1);
  EXPECT_EQ(answers.size(), expected.size() + 2);
  for (const std::string& path : {good, link}) {
    EXPECT_EQ(answers.at(path)["response"]["status_code"], 200);
  }
  for (const auto& [name, message] : expected) {
    const std::string path = folder / (name + ".txt");
    EXPECT_EQ(answers.at(path)["response"]["status_code"], 400);
    EXPECT_EQ(answers.at(path)["error"]["message"], path + ": " + message);
  }
}

TEST(BatchDocumentsTest, MustExist) {
  const TempFolder folder;
  const std::string a = folder.Write("a.txt", kText);
  for (const Names& names : {Names{folder / "*.md"}, Names{a, folder / "b.txt"}}) {
    const ProcessResult result = Ask(names, "?", folder / "out");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find(names.back() + ": no file"), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  }
}

TEST(BatchDocumentsTest, SeveralNamesCountOnceEachAndHintAtQuotes) {
  const TempFolder folder;
  const std::string a = folder.Write("a.txt", kText), b = folder.Write("b.txt", kText);
  const std::string again = folder / "./a.txt", out = folder / "out";
  const ProcessResult result = Ask({a, b, again}, "?", out);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("quotes"), std::string::npos) << result.err;
  EXPECT_EQ(ParseLines(ReadBytes(out)).size(), 2u);
  const ProcessResult patterns = Ask({folder / "a*", folder / "b*"}, "?", folder / "other");
  EXPECT_EQ(patterns.exit_code, 0) << patterns.err;
  EXPECT_EQ(patterns.err.find("quotes"), std::string::npos) << patterns.err;
}

TEST(BatchDocumentsTest, ComeFromListsToo) {
  const TempFolder folder;
  const std::string a = folder.Write("a.txt", kText), line = folder.Write("b\nc.txt", kText);
  const std::string brackets = folder.Write("d[1]*.txt", kText), none = folder / "none.txt";
  const std::string out = folder / "out.jsonl";
  const std::string lines = folder.Write("lines", "\xEF\xBB\xBF" + a + "\r\n\n" + brackets);
  EXPECT_EQ(Ask({"@" + lines}, "?", out).exit_code, 0);
  EXPECT_EQ(AnswersIn(out).size(), 2u);
  const std::string nul = a + '\0' + line + '\0' + none + '\0';
  EXPECT_EQ(Ask({"@-"}, "?", folder / "other", {}, nul).exit_code, 1);
  const auto answers = AnswersIn(folder / "other");
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers.at(line)["response"]["status_code"], 200);
  EXPECT_EQ(answers.at(none)["error"]["message"],
            none + ": cannot open: No such file or directory");
  for (const char* text : {"\n\n", "\xFF\xFE\x61\x01"}) {
    const ProcessResult empty = Ask({"@" + folder.Write("list", text)}, "?", out);
    EXPECT_EQ(empty.exit_code, 1);
    EXPECT_NE(empty.err.find("--documents @" + folder / "list"), std::string::npos) << empty.err;
  }
}

TEST(BatchDocumentsTest, MayHaveAnyName) {
  const TempFolder folder;
  folder.Write("\"a\"\t.txt", kText);
  folder.Write("b\xFF\\.txt", kText);
  const auto answers = AskAll(folder, "?");
  EXPECT_EQ(answers.count(folder / "\"a\"\t.txt"), 1u);
  EXPECT_EQ(answers.count(folder / "b\\xff\\\\.txt"), 1u);
}

// The limit is a share of the memory that the run may take.
TEST(BatchDocumentsTest, OfTooManyBytesFailBeforeTheyAreRead) {
  const TempFolder folder;
  const std::string path = folder.Write("a.txt", "");
  std::filesystem::resize_file(path, 60'000'000);
  WriteBytes(folder / "b.txt", kText);
  for (const std::string prompt : {"What?", "{document} {document}"}) {
    const auto answers = AskAll(folder, prompt, 1, {"--memory", "64M", "--no-resume"});
    const json& error = answers.at(path)["error"];
    EXPECT_EQ(error["code"], "document_too_long");
    const std::string limit = prompt == "What?" ? "1.05 MB" : "524 kB";
    EXPECT_NE(error["message"].get<std::string>().find("found 60.0 MB"), std::string::npos);
    EXPECT_NE(error["message"].get<std::string>().find(limit), std::string::npos) << error;
    EXPECT_EQ(answers.at(folder / "b.txt")["response"]["status_code"], 200);
  }
}

TEST(BatchDocumentsTest, AreNeverWhatTheRunWrites) {
  const TempFolder folder;
  std::string pages;  // enough for the cache
  for (int i = 0; i < 200; ++i) pages += kText;
  folder.Write("a.txt", pages);
  folder.Write("b.txt", "");
  const std::string out = folder / "out.jsonl";
  const Names options = {"-e",        folder / "errors",  "--summary",   folder / "summary",
                         "--metrics", folder / "metrics", "--cache-dir", folder / "cache"};
  const auto run = [&](const std::string& to) { return Ask({folder / "**"}, "?", to, options); };
  EXPECT_EQ(run(out).exit_code, 1);
  ASSERT_FALSE(FilesIn(folder / "cache").empty());
  for (const char* name : {"out.jsonl", "errors", "summary", "metrics"}) {
    const std::string file = folder / name;
    ASSERT_EQ(link(file.c_str(), (file + ".hard").c_str()), 0);
    ASSERT_EQ(symlink(file.c_str(), (file + ".soft").c_str()), 0);
    folder.Write(std::string(name) + "~", "What it was before.");
  }
  const ProcessResult again = run(folder / "./out.jsonl.soft");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("left out of the documents"), std::string::npos) << again.err;
  EXPECT_EQ(AnswersIn(out).size(), 1u);
  EXPECT_EQ(AnswersIn(folder / "errors").size(), 1u);
}

// A list may name an output that is only made after it was looked for.
TEST(BatchDocumentsTest, AreNeverAnOutputThatIsYetToCome) {
  const TempFolder folder;
  const std::string text = folder.Write("a.txt", kText), out = folder / "out.jsonl";
  const std::string list = folder.Write("list", text + "\n" + folder / "./out.jsonl");
  EXPECT_EQ(Ask({"@" + list}, "?", out).exit_code, 0);
  EXPECT_EQ(AnswersIn(out).size(), 1u);
}

TEST(BatchDocumentsTest, AreNeverOverwritten) {
  const TempFolder folder;
  const std::string text = folder.Write("a.txt", kText), soft = folder / "soft";
  ASSERT_EQ(symlink(text.c_str(), soft.c_str()), 0);
  for (const char* option : {"-e", "--summary", "--metrics", "-o"}) {
    for (const std::string& file : {text, soft, folder / "./a.txt"}) {
      const bool answers = std::string(option) == "-o";
      const std::string out = answers ? file : folder / "out.jsonl";
      const ProcessResult result =
          Ask({folder / "*.txt"}, "?", out, answers ? Names{"--no-resume"} : Names{option, file});
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_NE(result.err.find(std::string(option) + " " + file), std::string::npos) << result.err;
      EXPECT_NE(result.err.find("document " + text), std::string::npos) << result.err;
      EXPECT_EQ(ReadBytes(text), kText);
      EXPECT_EQ(FilesIn(folder.path()).size(), 2u);
    }
  }
  const std::string list = folder.Write("list", text);
  EXPECT_EQ(Ask({"@" + list}, "?", list, {"--no-resume"}).exit_code, 2);
  EXPECT_EQ(ReadBytes(list), text);
}

}  // namespace
}  // namespace cedar::test
