#ifndef CEDAR_APP_BENCH_TABLES_H_
#define CEDAR_APP_BENCH_TABLES_H_

// Tables of figures as text.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "simd/quantities.h"  // FormatFixed

namespace cedar {

using TableRow = std::vector<std::string>;

// The first row is the header; all are of one width.
std::string MarkdownTable(const std::vector<TableRow>& rows);
// One more row.
std::string MarkdownRow(const TableRow& row);

// An array of flat objects that all have the same keys in the same order: a line of keys, then the
// values of each.
std::string CsvTable(const nlohmann::ordered_json& rows);

// "4 KiB", "2 MiB".
std::string FormatPage(size_t bytes);

}  // namespace cedar

#endif  // CEDAR_APP_BENCH_TABLES_H_
