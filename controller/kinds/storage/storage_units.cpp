#include "kinds/storage/storage_units.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "kinds/common/systemd_here.hpp"
#include "protocol/nvme.hpp"

namespace spark::kinds {
namespace {

constexpr std::string_view kHead =
    "# by spark-reconcile, from cluster.yaml: what is changed here is changed back\n";

/// FNV-1a, 64 bits: tells names apart that are the same once shortened.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100'0000'01b3;
  return hash;
}

/// systemd replaces specifiers in every value.
std::string without_specifiers(std::string_view text) {
  std::string plain;
  for (const char c : text) plain += c == '%' ? std::string("%%") : std::string(1, c);
  return plain;
}

}  // namespace

ConnectionKey connection_key(const config::NvmeTarget& target) {
  return {target.nqn.value, target.address.value.text(), target.port.value};
}

std::string connection_id(const ConnectionKey& key) {
  constexpr std::size_t kReadable = 32;
  // What tells NQNs apart stands at their end: nqn.2014-08.org.example:data.
  auto last = key.nqn.substr(key.nqn.rfind(':') + 1);
  last.erase(0, last.size() - std::min(last.size(), kReadable));
  std::string name;
  for (const char c : last) name += is_ascii_alnum(c) ? c : '-';
  name.erase(0, name.find_first_not_of('-'));
  return fmt::format("{}{}{:016x}", name, name.empty() ? "" : "-",
                     hash_of(fmt::format("{} {} {}", key.nqn, key.address, key.port)));
}

std::string connection_unit(const ConnectionKey& key) {
  return fmt::format("spark-nvme@{}.service", connection_id(key));
}

std::string connection_file(const ConnectionKey& key) {
  return fmt::format("{}/{}.json", protocol::kNvmeFolder, connection_id(key));
}

std::string connection_text(const ConnectionKey& key, const std::string& via,
                            const std::string& secret_file) {
  const protocol::NvmeConnection connection{.nqn = key.nqn,
                                            .address = key.address,
                                            .port = key.port,
                                            .via = via,
                                            .secret_file = secret_file};
  return json_text(TextJsonWriter::write(connection), 2) + "\n";
}

std::string connection_template(const std::string& program) {
  const auto command = without_specifiers(program);
  // A oneshot's job ends with the attempt, and systemd tries again later by itself. At shutdown
  // what is ordered after this goes first (the mounts), and the network last.
  return fmt::format(
      R"({}[Unit]
Description=NVMe-TCP connection %i
Documentation=man:nvme-connect(1)
Wants=modprobe@nvme_tcp.service
After=modprobe@nvme_tcp.service network.target
Before=remote-fs-pre.target
StartLimitIntervalSec=0

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={} connect %i
ExecStop={} disconnect %i
Restart=on-failure
RestartSec=10
TimeoutStartSec=20
TimeoutStopSec=30
)",
      kHead, command, command);
}

std::string escape_path(std::string_view path) {
  if (path == "/") return "-";
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  std::string name;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    const bool plain = is_ascii_alnum(c) || c == ':' || c == '_' || (c == '.' && i > 0);
    name += c == '/' ? "-"
            : plain  ? std::string(1, c)
                     : fmt::format("\\x{:02x}", static_cast<std::uint8_t>(c));
  }
  return name;
}

std::string mount_unit(const std::string& path) { return escape_path(path) + ".mount"; }

std::string device_of(const std::string& wwid) { return "/dev/disk/by-id/nvme-" + wwid; }

std::string fsck_unit(const std::string& device) {
  return fmt::format("systemd-fsck@{}.service", escape_path(device));
}

std::string mount_text(const MountText& mount) {
  auto needs = connection_unit(mount.connection);
  if (mount.checked) needs += " " + fsck_unit(mount.device);
  // Without the default dependencies: they would wait for network-online.target, which may never
  // come, though the volume is there. Before remote-fs.target, so that sessions end before it goes.
  return fmt::format(
      R"({}[Unit]
Description={}
DefaultDependencies=no
Requires={}
After={} remote-fs-pre.target network.target
Before=remote-fs.target umount.target
Conflicts=umount.target

[Mount]
What={}
Where={}
Type={}
Options={}
TimeoutSec=30
)",
      kHead, without_specifiers(mount.path), needs, needs, without_specifiers(mount.device),
      without_specifiers(mount.path), without_specifiers(mount.type),
      without_specifiers(mount.options));
}

std::optional<Skipped> without_storage(host::View& view, const host::NvmeWorld& world) {
  if (const auto why = why_no_systemd(view)) {
    return Skipped{Skipped::Why::kUnknown, "SR-NVME-015",
                   fmt::format("{}, and units of systemd hold connections and mounts", *why)};
  }
  if (world.program.empty()) {
    return Skipped{
        Skipped::Why::kUnknown, "SR-NVME-015",
        "'spark-storage' is not there, or not executable: `spark-reconcile doctor` says which"};
  }
  return std::nullopt;
}

Outcome waits_or_fails(const Error& error) {
  if (error.code == ErrorCode::kTimeout || error.code == ErrorCode::kBusy) return Waits{error.what};
  return std::unexpected(error);
}

Outcome waits_or_fails(const Result<>& made) {
  return made ? Outcome{} : waits_or_fails(made.error());
}

}  // namespace spark::kinds
