// `host:` and what of it stands under a node: sysctl, memlock, modules, roce, hosts.
// `storage:` - NVMe-TCP targets and the filesystems on them.

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

namespace {

/// FFFFFFFFh addresses all namespaces of a target (NVM Express base specification).
constexpr std::uint64_t kMostNamespaces = 0xFFFF'FFFE;

using Namespace = std::variant<std::uint32_t, std::string>;

std::optional<At<Namespace>> nvme_namespace(Findings& findings, const Value& value) {
  const bool is_number =
      value.kind == Value::Kind::kText && value.plain && parse_decimal(value.text).has_value();
  if (is_number) {
    const auto number = read_integer(findings, value, 1, kMostNamespaces, 1);
    if (!number) return std::nullopt;
    return At<Namespace>{static_cast<std::uint32_t>(number->value), value.where};
  }
  auto uuid = read_text(findings, value, kNamespaceUuid);
  if (!uuid) return std::nullopt;
  return At<Namespace>{std::move(uuid->value), value.where};
}

std::optional<At<std::string>> writer(Findings& findings, const Value& value) {
  if (value.kind != Value::Kind::kList) return read_text(findings, value, kName);
  findings.add(SpecId::kWrongType, value.where, "'read_write' must be one node, not a list",
               "a second writer destroys the filesystem: name one node here, and let the others "
               "have it by NFS");
  return std::nullopt;
}

constexpr std::array kMountKeys{
    key<&MountSpec::nvme_namespace, nvme_namespace>("namespace"),
    required(key<&MountSpec::path, text<kPath>>("path"), "path: /mnt/data"),
    required(key<&MountSpec::type, text<kFilesystemType>>("type"), "type: ext4"),
    key<&MountSpec::options, list_of<text<kMountOption>>>("options"),
    key<&MountSpec::read_write, writer>("read_write"),
    key<&MountSpec::read_only, list_of<text<kName>>>("read_only"),
};

void read_mounts(Findings& findings, const Value& value, std::vector<MountSpec>& mounts) {
  if (!is_list(findings, value)) return;
  for (const Value& item : value.children) {
    MountSpec& mount = mounts.emplace_back();
    mount.where = item.where;
    read_map(findings, item, mount, kMountKeys);
  }
}

constexpr std::array kNvmeKeys{
    required(key<&NvmeTarget::nqn, text<kNqn>>("nqn"), "nqn: nqn.2014-08.org.example:data"),
    required(key<&NvmeTarget::address, address>("address"), "address: 192.0.2.10"),
    key<&NvmeTarget::port, integer<std::uint16_t, 1, 65535, 4420>>("port"),
    key<&NvmeTarget::via, text<kInterfaceName>>("via"),
    key<&NvmeTarget::secret_file, text<kPath>>("secret_file"),
};

constexpr std::array kTargetKeys{
    required(inner<kNvmeKeys>("nvme_tcp"),
             "nvme_tcp: { nqn: nqn.2014-08.org.example:data, address: 192.0.2.10 }"),
    section<&NvmeTarget::mounts, read_mounts>("mounts"),
};

}  // namespace

void read_storage(Findings& findings, const Value& value, std::vector<NvmeTarget>& storage) {
  if (!is_list(findings, value)) return;
  for (const Value& item : value.children) {
    NvmeTarget& target = storage.emplace_back();
    target.where = item.where;
    read_map(findings, item, target, kTargetKeys);
  }
}

}  // namespace spark::config
