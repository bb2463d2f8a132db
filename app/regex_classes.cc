#include "app/regex_classes.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace cedar {
namespace {

// The long names of general categories (Unicode, PropertyValueAliases.txt).
struct Category {
  std::string_view code, name;
};
constexpr std::array<Category, 39> kCategories = {{{"L", "Letter"},
                                                   {"LC", "Cased_Letter"},
                                                   {"Lu", "Uppercase_Letter"},
                                                   {"Ll", "Lowercase_Letter"},
                                                   {"Lt", "Titlecase_Letter"},
                                                   {"Lm", "Modifier_Letter"},
                                                   {"Lo", "Other_Letter"},
                                                   {"M", "Mark"},
                                                   {"M", "Combining_Mark"},
                                                   {"Mn", "Nonspacing_Mark"},
                                                   {"Mc", "Spacing_Mark"},
                                                   {"Me", "Enclosing_Mark"},
                                                   {"N", "Number"},
                                                   {"Nd", "Decimal_Number"},
                                                   {"Nl", "Letter_Number"},
                                                   {"No", "Other_Number"},
                                                   {"P", "Punctuation"},
                                                   {"Pc", "Connector_Punctuation"},
                                                   {"Pd", "Dash_Punctuation"},
                                                   {"Ps", "Open_Punctuation"},
                                                   {"Pe", "Close_Punctuation"},
                                                   {"Pi", "Initial_Punctuation"},
                                                   {"Pf", "Final_Punctuation"},
                                                   {"Po", "Other_Punctuation"},
                                                   {"S", "Symbol"},
                                                   {"Sm", "Math_Symbol"},
                                                   {"Sc", "Currency_Symbol"},
                                                   {"Sk", "Modifier_Symbol"},
                                                   {"So", "Other_Symbol"},
                                                   {"Z", "Separator"},
                                                   {"Zs", "Space_Separator"},
                                                   {"Zl", "Line_Separator"},
                                                   {"Zp", "Paragraph_Separator"},
                                                   {"C", "Other"},
                                                   {"Cc", "Control"},
                                                   {"Cf", "Format"},
                                                   {"Co", "Private_Use"},
                                                   {"Cn", "Unassigned"},
                                                   {"Nd", "digit"}}};

// The code points of categories that begin so; "LC" stands for Lu, Ll and Lt.
CodeSet OfCategory(std::string_view code) {
  std::vector<CodeSet::Range> ranges;
  for (char32_t point = 0; point <= CodeSet::kLast; ++point) {
    const std::string_view category =
        utf8proc_category_string(static_cast<utf8proc_int32_t>(point));
    const bool holds = code == "LC" ? category == "Lu" || category == "Ll" || category == "Lt"
                                    : category.starts_with(code);
    if (!holds) continue;
    if (!ranges.empty() && ranges.back().last + 1 == point) {
      ranges.back().last = point;
    } else {
      ranges.push_back({point, point});
    }
  }
  return CodeSet(std::move(ranges));
}

const CodeSet& AsciiWord() {
  static const CodeSet set({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
  return set;
}

}  // namespace

ClassSets DigitClass() {
  static const CodeSet any_digit = OfCategory("Nd");
  return {CodeSet({{'0', '9'}}), any_digit};
}

ClassSets WordClass() {
  static const CodeSet any_word = OfCategory("L") | OfCategory("M") | OfCategory("N") |
                                  OfCategory("Pc") | CodeSet({{0x200C, 0x200D}});
  return {AsciiWord(), any_word};
}

ClassSets SpaceClass() {
  static const CodeSet sure({{'\t', '\r'},
                             {' ', ' '},
                             {0xA0, 0xA0},
                             {0x1680, 0x1680},
                             {0x2000, 0x200A},
                             {0x2028, 0x2029},
                             {0x202F, 0x202F},
                             {0x205F, 0x205F},
                             {0x3000, 0x3000}});
  static const CodeSet differs({{0x1C, 0x1F}, {0x85, 0x85}, {0xFEFF, 0xFEFF}});
  return {sure, sure | differs};
}

ClassSets DotClass() {
  static const CodeSet ends({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});
  return {~ends, ~CodeSet({{'\n', '\n'}})};
}

std::optional<CodeSet> PropertyClass(std::string_view name) {
  if (name == "Any") return CodeSet::All();
  if (name == "ASCII") return CodeSet({{0, 0x7F}});
  if (name == "Assigned") return ~OfCategory("Cn");
  for (const std::string_view prefix : {"General_Category=", "gc="}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  const auto known = std::find_if(kCategories.begin(), kCategories.end(), [&](const Category& one) {
    return one.code == name || one.name == name;
  });
  if (known == kCategories.end()) return std::nullopt;
  return OfCategory(known->code);
}

}  // namespace cedar
