// `host:` and what of it stands under a node: sysctl, memlock, modules, roce, hosts.

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/parse/parse_sections.hpp"

namespace spark::config {
namespace {

/// Less than the kernel's own default (8 MiB since 5.16, 64 KiB before) breaks logins.
constexpr std::uint64_t kLeastMemlock = 65536;
constexpr std::uint64_t kMostMemlock = std::uint64_t{1} << 62;

/// The key as sysctl(8) prints it. Both separators can begin a key, and the first one decides:
/// after a slash, dots belong to names (sysctl.d(5)); in the dotted form they become slashes.
std::string dotted(std::string key) {
  const auto first = key.find_first_of("./");
  if (first == std::string::npos || key[first] == '.') return key;
  std::ranges::transform(key, key.begin(), [](char c) {
    return c == '/' ? '.' : c == '.' ? '/' : c;
  });
  return key;
}

}  // namespace

void read_sysctl(Findings& findings, const Value& value,
                 std::map<std::string, At<std::string>>& sysctl) {
  read_open_map(findings, value, kSysctlKey, [&](const Value& entry) {
    auto text = read_integer_or_text(findings, entry, kSysctlValue);
    if (!text) return;
    const At<std::string> setting{fold_blanks(text->value), entry.key_where};
    const auto [same, is_new] = sysctl.emplace(dotted(entry.key), setting);
    if (is_new) return;
    findings.add(SpecId::kSysctlTwice, entry.key_where,
                 fmt::format("{} is the same sysctl as a line above", in_quotes(entry.key)),
                 "'/' and '.' are two spellings of one key: keep one line",
                 {{same->second.where, "first here"}});
  });
}

std::optional<At<Memlock>> memlock(Findings& findings, const Value& value) {
  if (value.kind == Value::Kind::kText) {
    if (value.text == "unlimited") return At<Memlock>{Memlock{}, value.where};
    if (const auto size = parse_byte_size(value.text)) {
      return At<Memlock>{Memlock{size}, value.where};
    }
    if (!value.plain || !looks_typed(value.text)) {
      findings.add(SpecId::kQuantityForm, value.where,
                   fmt::format("{} is not an amount of memory", in_quotes(value.text)),
                   "write unlimited, a number of bytes, or a size as in 16GiB");
      return std::nullopt;
    }
  }
  constexpr std::uint64_t kExample = std::uint64_t{16} << 30;
  const auto bytes = read_integer(findings, value, kLeastMemlock, kMostMemlock, kExample);
  if (!bytes) return std::nullopt;
  return At<Memlock>{Memlock{bytes->value}, bytes->where};
}

}  // namespace spark::config
