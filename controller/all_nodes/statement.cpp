#include "all_nodes/statement.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "base/text.hpp"
#include "protocol/paths.hpp"

namespace spark::all_nodes {
namespace {

constexpr std::size_t kMostTrustedBytes = std::size_t{64} * 1024;
constexpr std::string_view kKeyKind = "ed25519";
constexpr std::size_t kKeyLetters = 44;

}  // namespace

Result<TrustedKeys> trusted_in(const std::string& text) {
  TrustedKeys keys;
  int number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    const auto folded = fold_blanks(line.substr(0, line.find('#')));
    if (folded.empty()) continue;
    const auto words = split(folded, ' ');
    const bool is_key = words.size() == 3 && words[1] == kKeyKind && words[2].size() == kKeyLetters;
    if (!is_key || !keys.emplace(words[0], words[2]).second) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("line {} of '{}' {}", number, protocol::kTrustedFile,
                              is_key ? "has a second key of a node: take one of them out"
                                     : "is not 'NAME ed25519 KEY': take it out"));
    }
  }
  return keys;
}

Result<TrustedKeys> read_trusted(host::Files& files) {
  const std::string path = protocol::kTrustedFile;
  if (auto safe = files.check_writers(path.substr(0, path.rfind('/'))); !safe) {
    return std::unexpected(safe.error());
  }
  const auto text = files.read_helpers(path, "root", kMostTrustedBytes);
  if (!text) return std::unexpected(text.error());
  return trusted_in(text->value_or(""));
}

}  // namespace spark::all_nodes
