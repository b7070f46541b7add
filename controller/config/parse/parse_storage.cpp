// `storage:` - NVMe-TCP targets and the filesystems on them.

#include "base/units.hpp"
#include "config/parse/parse_sections.hpp"

namespace spark::config {
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
