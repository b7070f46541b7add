#include "cli/discover/placed.hpp"

#include <regex>

#include <fmt/format.h>

#include "base/text.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

Result<std::string> extended(host::Files& files, const std::vector<TrustedKey>& keys,
                             std::string& present) {
  const auto text = files.read(protocol::kTrustedFile);
  if (!text) return std::unexpected(text.error());
  present = text->value_or("");
  return with_keys(present, keys);
}

}  // namespace

Result<std::string> with_keys(const std::string& text, const std::vector<TrustedKey>& keys) {
  auto whole = text;
  if (!whole.empty() && !whole.ends_with('\n')) whole += '\n';
  for (const auto& [node, key] : keys) {
    const auto wanted = fmt::format("{} ed25519 {}", node, key);
    bool is_there = false;
    for (const auto line : lines_of(text)) {
      const auto words = fold_blanks(line);
      if (!words.starts_with(node + " ")) continue;
      if (words != wanted) {
        const auto pattern = std::regex_replace(node, std::regex("\\."), "\\.");
        return fail(
            ErrorCode::kBusy,
            fmt::format("'{0}' has another key of {1}, and none is replaced. Where {1} was "
                        "installed again, take its line out and run this again: sudo sed -i "
                        "'/^{2} /d' {0}",
                        protocol::kTrustedFile, node, pattern));
      }
      is_there = true;
    }
    if (!is_there) whole += wanted + "\n";
  }
  return whole;
}

Result<> check_trusted(host::Files& files, const std::vector<TrustedKey>& keys) {
  std::string present;
  const auto text = extended(files, keys, present);
  return text ? Result<>{} : std::unexpected(text.error());
}

Result<> place_trusted(host::Files& files, const std::vector<TrustedKey>& keys) {
  constexpr unsigned kMode = 0644;  // public halves
  std::string present;
  const auto text = extended(files, keys, present);
  if (!text) return std::unexpected(text.error());
  return *text == present ? Result<>{} : files.write_durably(protocol::kTrustedFile, *text, kMode);
}

namespace {

Result<Placed> find_no_other(host::Files& files, const std::string& text) {
  auto placed = find_placed(files, text);
  if (!placed || *placed != Placed::kDifferent) return placed;
  return fail(
      ErrorCode::kBusy,
      fmt::format("'{0}' is there already and says something else than what is offered, and "
                  "no file is replaced: move it away (sudo mv {0} {0}.before) and run this "
                  "again",
                  protocol::kDefaultFile));
}

}  // namespace

Result<Placed> find_placed(host::Files& files, const std::string& text) {
  const auto present = files.read(protocol::kDefaultFile);
  if (!present) return std::unexpected(present.error());
  if (!*present) return Placed::kAbsent;
  return **present == text ? Placed::kSame : Placed::kDifferent;
}

Result<> check_no_other_file(host::Files& files, const std::string& text) {
  const auto placed = find_no_other(files, text);
  return placed ? Result<>{} : std::unexpected(placed.error());
}

Result<Placed> place_file(host::Files& files, const std::string& text) {
  const auto placed = find_no_other(files, text);
  if (!placed) return placed;
  constexpr unsigned kMode = 0644;  // `plan` needs no root
  if (*placed == Placed::kAbsent) {
    if (auto written = files.write_durably(protocol::kDefaultFile, text, kMode); !written) {
      return std::unexpected(written.error());
    }
  }
  return placed;
}

}  // namespace spark::cli
