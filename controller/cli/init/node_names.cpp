#include "cli/init/node_names.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/yaml/read_forms.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kFallback = "spark1";

/// "spark1" as "spark" and 1; a name without a number is the first.
struct Numbered {
  std::string head;
  std::size_t number = 1;
  std::string domain;  ///< ".example", from the first dot on
};

Numbered parted(const std::string& hostname) {
  const auto dot = std::min(hostname.find('.'), hostname.size());
  const auto host = hostname.substr(0, dot);
  const auto last = host.find_last_not_of("0123456789");
  const auto digits = last == std::string::npos ? 0 : last + 1;
  constexpr std::size_t kMostDigits = 4;
  const auto count = host.size() - digits;
  const bool is_numbered = count > 0 && count <= kMostDigits && host[digits] != '0';
  return {is_numbered ? host.substr(0, digits) : host + "-",
          is_numbered ? std::stoul(host.substr(digits)) : 1, hostname.substr(dot)};
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(list, ',')) words.emplace_back(part.begin(), part.end());
  return words;
}

Result<NodeNames> names_in_list(const std::string& list, std::size_t count,
                                const std::string& hostname) {
  NodeNames found{.names = words_of(list)};
  const auto& names = found.names;
  if (names.size() != count) {
    const auto whole = node_names("", count, names.empty() ? "" : names.front()).value();
    return fail(ErrorCode::kInvalid,
                fmt::format("--names has {}, and {} are needed, as --names {}",
                            counted(names.size(), "name"), count, fmt::join(whole.names, ",")));
  }
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (!can_be_node(*name)) {
      return fail(ErrorCode::kInvalid, fmt::format("{} in --names is no name of a node: {}",
                                                   in_quotes(*name), config::kName.form));
    }
    if (std::find(names.begin(), name, *name) != name) {
      return fail(
          ErrorCode::kInvalid,
          fmt::format("--names has {} twice: each node has a name of its own", in_quotes(*name)));
    }
  }
  if (const auto own = std::ranges::find(names, hostname); own != names.end()) {
    found.own = static_cast<std::size_t>(own - names.begin());
  }
  return found;
}

}  // namespace

bool can_be_node(std::string_view name) {
  // The program's own files are called so.
  constexpr std::array<std::string_view, 3> kEndings{".json", ".yaml", ".sha256"};
  return config::kName.matches(name) &&
         std::ranges::none_of(kEndings, [&](auto ending) { return name.ends_with(ending); });
}

Result<NodeNames> node_names(const std::string& list, std::size_t count,
                             const std::string& hostname) {
  if (!list.empty()) return names_in_list(list, count, hostname);
  const bool is_known = can_be_node(hostname);
  const auto own = is_known ? hostname : std::string(kFallback);
  const auto first = parted(own);
  NodeNames found{.names = {own},
                  .own = is_known ? std::optional<std::size_t>(0) : std::nullopt,
                  .are_derived = true};
  for (std::size_t i = 1; i < count; ++i) {
    found.names.push_back(fmt::format("{}{}{}", first.head, first.number + i, first.domain));
  }
  return found;
}

}  // namespace spark::cli
