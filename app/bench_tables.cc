#include "app/bench_tables.h"

#include <cstdio>

namespace cedar {

std::string MarkdownRow(const TableRow& row) {
  std::string text;
  for (const std::string& cell : row) text += "| " + cell + " ";
  return text + "|\n";
}

std::string MarkdownTable(const std::vector<TableRow>& rows) {
  std::string text;
  for (const TableRow& row : rows) {
    text += MarkdownRow(row);
    if (&row != &rows.front()) continue;
    for (size_t column = 0; column < row.size(); ++column) text += "|---";
    text += "|\n";
  }
  return text;
}

std::string CsvTable(const nlohmann::ordered_json& rows) {
  std::string names, lines;
  for (const auto& row : rows) {
    std::string values;
    names.clear();
    for (const auto& [name, value] : row.items()) {
      names += (names.empty() ? "" : ",") + name;
      values += (values.empty() ? "" : ",") +
                (value.is_string() ? value.get<std::string>() : value.dump());
    }
    lines += values + "\n";
  }
  return names + "\n" + lines;
}

std::string FormatPage(size_t bytes) {
  if (bytes == 0) return "unknown";
  return bytes >> 20 > 0 ? std::to_string(bytes >> 20) + " MiB"
                         : std::to_string(bytes >> 10) + " KiB";
}

}  // namespace cedar
