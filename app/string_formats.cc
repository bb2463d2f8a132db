#include "app/string_formats.h"

#include <utility>

namespace cedar {
namespace {

// Regular expressions, as parts of longer ones.
constexpr char kDigits2[] = "[0-5][0-9]";
constexpr char kHour[] = "(?:[01][0-9]|2[0-3])";
constexpr char kHex[] = "[0-9A-Fa-f]";
// Labels of hosts. No two hyphens follow each other: `never` sees to that.
constexpr char kLabel[] = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,36}[A-Za-z0-9])?";
constexpr char kLastLabel[] = "[A-Za-z](?:[A-Za-z0-9-]{0,36}[A-Za-z0-9])?";
constexpr char kTopLabel[] = "[A-Za-z]{2,24}";
// Of the part in front of an address's @.
constexpr char kAtom[] = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
constexpr char kPort[] =
    "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
// Characters of paths, and those that are escaped by a percent sign.
constexpr char kPathCharacters[] = "A-Za-z0-9._~!$&'()*+,;=:@-";
constexpr char kPercent[] = "%[0-9A-Fa-f]{2}";
// Beside those of RFC 3986 IRIs have letters of all scripts.
constexpr char kOtherLetters[] = "\\p{L}\\p{N}";
constexpr char kPointer[] = "(?:/(?:[^~/]|~[01])*)*";
// Their last characters hold no bits that are thrown away.
constexpr char kBase64[] =
    "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?";
constexpr char kBase64Url[] =
    "(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?";
// What is never found in strings of some formats.
constexpr char kYearZero[] = "^0000";
constexpr char kHyphens[] = "--";
constexpr char kHyphensInHost[] = "^[a-z0-9]+://[^/?#]*--";
constexpr char kHostOfReference[] = "^//";

std::string Group(const std::string& inside) { return "(?:" + inside + ")"; }

// Real days: leap years are those of the Gregorian calendar.
std::string Date() {
  const std::string leap = "(?:0[48]|[2468][048]|[13579][26])";
  return "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|"
         "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|"
         "(?:[0-9]{2}" +
         leap + "|(?:[02468][048]|[13579][26])00)-02-29)";
}

// RFC 3339 with its offset, to the microsecond, and without leap seconds.
std::string Time() {
  const std::string minutes = std::string(kHour) + ":" + kDigits2;
  return minutes + ":" + kDigits2 + "(?:\\.[0-9]{1,6})?(?:Z|[+-]" + minutes + ")";
}

std::string Email() {
  const std::string atom = kAtom;
  return "(?=[^@]{1,64}@)" + atom + "(?:\\." + atom + ")*@(?:" + kLabel + "\\.){1,4}" + kTopLabel;
}

std::string Hostname() { return std::string("(?:") + kLabel + "\\.){0,5}" + kLastLabel; }

std::string Ipv4() {
  const std::string byte = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
  return "(?:" + byte + "\\.){3}" + byte;
}

// Groups of a number between colons, `least` to `most`.
std::string Groups(int least, int most) {
  const std::string group = std::string(kHex) + "{1,4}";
  return group + "(?::" + group + "){" + std::to_string(least - 1) + "," +
         std::to_string(most - 1) + "}";
}

// Eight groups, or fewer with a row of them left out once.
std::string Ipv6() {
  std::string all = Groups(8, 8);
  for (int before = 0; before <= 7; ++before) {
    all += "|" + (before == 0 ? "" : Groups(before, before)) + "::";
    if (before < 7) all += Group(Groups(1, 7 - before)) + "?";
  }
  return Group(all);
}

std::string Ip() { return Group(Ipv4() + "|" + Ipv6()); }

// Versions of RFC 9562; any if there are none.
std::string Uuid(const std::string& versions) {
  const std::string hex = kHex, any = "-" + hex + "{4}";
  const std::string third = versions.empty() ? any : "-[" + versions + "]" + hex + "{3}";
  const std::string fourth = versions.empty() ? any : "-[89ABab]" + hex + "{3}";
  return hex + "{8}" + any + third + fourth + "-" + hex + "{12}";
}

std::string InPath(const std::string& others) {
  return Group("[" + (kPathCharacters + others) + "]|" + kPercent);
}

// `others`: letters beside those of RFC 3986.
std::string QueryAndFragment(const std::string& others) {
  const std::string inside = Group(InPath(others) + "|[/?]") + "*";
  return "(?:\\?" + inside + ")?(?:#" + inside + ")?";
}

std::string PathQueryFragment(const std::string& others) {
  return "(?:/" + InPath(others) + "*)*" + QueryAndFragment(others);
}

std::string Uri(const std::string& others) {
  const std::string host = Group(Ipv4() + "|localhost|(?:" + kLabel + "\\.){1,5}" + kTopLabel);
  const std::string path = Group(InPath(others) + "|/") + "*";
  return Group("(?:https?|wss?|ftps?|sftp|ssh|git|s3|gs)://" + host + "(?::" + kPort + ")?" +
               PathQueryFragment(others) + "|(?:mailto|urn|tel|doi|data):" + InPath(others) + path +
               QueryAndFragment(others) + "|file:///" + path);
}

// A colon in the first part of a path would end a scheme.
std::string UriReference(const std::string& others) {
  const std::string first = "(?:[A-Za-z0-9._~!$&'()*+,;=@" + others + "-]|" + kPercent + ")*";
  return Group(Uri(others) + "|" + first + PathQueryFragment(others));
}

// RFC 3339, appendix A: units from the largest to the smallest, none left out between two.
std::string Duration() {
  const std::string n = "[0-9]{1,6}";
  const std::string second = n + "S";
  const std::string minute = n + "M(?:" + second + ")?", hour = n + "H(?:" + minute + ")?";
  const std::string time = "T" + Group(hour + "|" + minute + "|" + second);
  const std::string day = n + "D", month = n + "M(?:" + day + ")?";
  const std::string date = Group(n + "Y(?:" + month + ")?|" + month + "|" + day);
  return "P" + Group(n + "W|" + time + "|" + date + Group(time) + "?");
}

StringFormat Of(std::string regex, std::vector<std::string> never = {},
                std::optional<uint64_t> max_length = std::nullopt) {
  return {std::move(regex), std::move(never), max_length};
}

StringFormat Cidrv4() { return Of(Ipv4() + "/(?:[12]?[0-9]|3[0-2])"); }
StringFormat Cidrv6() { return Of(Ipv6() + "/(?:[1-9]?[0-9]|1[01][0-9]|12[0-8])"); }

struct Entry {
  std::string_view name;
  StringFormat (*make)();
};

constexpr Entry kFormats[] = {
    {"date", [] { return Of(Date(), {kYearZero}); }},
    {"time", [] { return Of(Time()); }},
    {"date-time", [] { return Of(Date() + "T" + Time(), {kYearZero}); }},
    {"duration", [] { return Of(Duration()); }},
    {"email", [] { return Of(Email(), {kHyphens}, 254); }},
    {"idn-email", [] { return Of(Email(), {kHyphens}, 254); }},
    {"hostname", [] { return Of(Hostname(), {kHyphens}, 253); }},
    {"idn-hostname", [] { return Of(Hostname(), {kHyphens, "[A-Z]"}, 253); }},
    {"ipv4", [] { return Of(Ipv4()); }},
    {"ipv6", [] { return Of(Ipv6()); }},
    {"ip", [] { return Of(Ip()); }},
    {"ipvanyaddress", [] { return Of(Ip()); }},
    {"cidrv4", Cidrv4},
    {"cidrv6", Cidrv6},
    {"ipv4interface", Cidrv4},
    {"ipv6interface", Cidrv6},
    {"uuid", [] { return Of(Uuid("")); }},
    {"guid", [] { return Of(Uuid("")); }},
    {"uuid1", [] { return Of(Uuid("1")); }},
    {"uuid3", [] { return Of(Uuid("3")); }},
    {"uuid4", [] { return Of(Uuid("4")); }},
    {"uuid5", [] { return Of(Uuid("5")); }},
    {"uuid6", [] { return Of(Uuid("6")); }},
    {"uuid7", [] { return Of(Uuid("7")); }},
    {"uuid8", [] { return Of(Uuid("8")); }},
    {"uri", [] { return Of(Uri(""), {kHyphensInHost}); }},
    {"url", [] { return Of(Uri(""), {kHyphensInHost}); }},
    {"iri", [] { return Of(Uri(kOtherLetters), {kHyphensInHost}); }},
    {"uri-reference", [] { return Of(UriReference(""), {kHyphensInHost, kHostOfReference}); }},
    {"iri-reference",
     [] { return Of(UriReference(kOtherLetters), {kHyphensInHost, kHostOfReference}); }},
    {"json-pointer", [] { return Of(kPointer); }},
    {"relative-json-pointer",
     [] { return Of(std::string("(?:0|[1-9]{1,8})(?:#|") + kPointer + ")"); }},
    {"byte", [] { return Of(kBase64); }},
    {"base64", [] { return Of(kBase64); }},
    {"base64url", [] { return Of(kBase64Url); }},
    {"hex", [] { return Of("[0-9A-Fa-f]*"); }},
    {"e164", [] { return Of("\\+[1-9][0-9]{6,14}"); }},
    {"cuid", [] { return Of("c[a-z0-9]{8,31}"); }},
    {"cuid2", [] { return Of("[0-9a-z]{2,32}"); }},
    {"ulid", [] { return Of("[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"); }},
    {"xid", [] { return Of("[0-9a-vA-V]{20}"); }},
    {"ksuid", [] { return Of("[A-Za-z0-9]{27}"); }},
    {"nanoid", [] { return Of("[A-Za-z0-9_-]{21}"); }},
    // They say what a text is for, and restrict none.
    {"password", [] { return Of(""); }},
    {"binary", [] { return Of(""); }},
    {"path", [] { return Of(""); }},
    {"file-path", [] { return Of(""); }},
    {"directory-path", [] { return Of(""); }},
    {"text", [] { return Of(""); }},
    {"multiline", [] { return Of(""); }},
};

}  // namespace

std::optional<StringFormat> FindStringFormat(std::string_view name) {
  for (const Entry& entry : kFormats) {
    if (entry.name == name) return entry.make();
  }
  return std::nullopt;
}

std::string StringFormatNames() {
  std::string names;
  for (const Entry& entry : kFormats) {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

}  // namespace cedar
