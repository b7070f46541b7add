#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/text.hpp"
#include "config/releases.hpp"
#include "config/yaml/other_text.hpp"
#include "config/yaml/read.hpp"

namespace spark::config {
namespace {

constexpr std::size_t kMostOfRelease = 64;  // __NEW_UTS_LEN of <linux/utsname.h>
constexpr std::size_t kMostOfText = 300;

bool is_of_word(char c) { return c > ' ' && c < '\x7F'; }

bool is_word(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most && std::ranges::all_of(text, is_of_word);
}

/// "2026-09", "2026-09-12".
bool is_month_or_day(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00";
  constexpr std::size_t kMonth = 7;
  return (text.size() == kMonth || text.size() == kForm.size()) &&
         std::ranges::equal(text, kForm.substr(0, text.size()), [](char c, char form) {
           return form == '-' ? c == '-' : is_ascii_digit(c);
         });
}

constexpr TextForm kReleaseForm{
    "a release", "what `uname -r` prints, or its beginning up to a '-'",
    [](std::string_view text) { return is_word(text, kMostOfRelease); }};
constexpr TextForm kFaultForm{
    "a fault", "one line that follows the release: panics under load",
    [](std::string_view text) { return text.size() <= kMostOfText && printable(text) == text; }};
constexpr TextForm kUnlessForm{"a word of the kernel's command line",
                               "one word without spaces: kho=off",
                               [](std::string_view text) { return is_word(text, kMostOfText); }};
constexpr TextForm kSourceForm{
    "a source", "one line that says where this stands",
    [](std::string_view text) { return text.size() <= kMostOfText && printable(text) == text; }};
constexpr TextForm kDateForm{"a date", "year and month, or with the day, in quotes: \"2026-09-12\"",
                             is_month_or_day};

constexpr std::array kReleaseKeys{
    required(key<&ReleaseSpec::release, text<kReleaseForm>>("release"), "release: 7.0.0-1019"),
    key<&ReleaseSpec::fault, text<kFaultForm>>("fault"),
    key<&ReleaseSpec::unless, text<kUnlessForm>>("unless"),
    required(key<&ReleaseSpec::source, text<kSourceForm>>("source"), "source: our own test"),
    required(key<&ReleaseSpec::date, text<kDateForm>>("date"), "date: \"2026-09-12\""),
};

using Releases = std::vector<ReleaseSpec>;

void read_releases(Findings& findings, const Value& value, Releases& releases) {
  if (!is_list(findings, value)) return;
  for (const Value& item : value.children) {
    read_map(findings, item, releases.emplace_back(), kReleaseKeys);
  }
}

constexpr std::array kFileKeys{
    section<&ParsedReleases::releases, read_releases>("releases"),
};

}  // namespace

ParsedReleases parse_releases(std::string_view text) {
  ParsedReleases parsed;
  Findings findings;
  const auto root = read_document(text, findings);
  if (root && is_map_of_file(findings, *root, "docs/explain/hardware.md shows one")) {
    read_map(findings, *root, parsed, kFileKeys);
  }
  name_other_text(text, findings);
  parsed.diagnostics = std::move(findings).take(root ? &*root : nullptr);
  return parsed;
}

}  // namespace spark::config
