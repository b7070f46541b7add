#pragma once
// The systemd units that connect to NVMe targets and mount their volumes, as texts. All are below
// /run, so that a boot without our own pass mounts nothing (docs/decisions/0020).

#include <string>
#include <string_view>

#include "base/fields.hpp"
#include "config/cluster.hpp"
#include "host/storage.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

inline constexpr const char* kUnitFolder = "/run/systemd/system";
inline constexpr const char* kConnectionTemplate = "/run/systemd/system/spark-nvme@.service";

/// What identifies one connection.
struct ConnectionKey {
  std::string nqn;
  std::string address;
  std::uint16_t port = 4420;
  auto operator<=>(const ConnectionKey&) const = default;
};

template <EitherConst<ConnectionKey> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("nqn", key.nqn);
  visit("address", key.address);
  visit("port", key.port);
}

ConnectionKey connection_key(const config::NvmeTarget& target);

/// Short, readable, and safe in names of files and units: "raid5-data-0f3a66c1b2d4e5f6".
std::string connection_id(const ConnectionKey& key);
/// "spark-nvme@raid5-data-0f3a66c1b2d4e5f6.service"
std::string connection_unit(const ConnectionKey& key);
/// Where `spark-storage connect` finds what to connect to.
std::string connection_file(const ConnectionKey& key);
std::string connection_text(const ConnectionKey& key, const std::string& via,
                            const std::string& secret_file);
/// The text of kConnectionTemplate; `program` is the path of `spark-storage`.
std::string connection_template(const std::string& program);

/// As systemd-escape --path: "/mnt/a-b" is "mnt-a\x2db".
std::string escape_path(std::string_view path);
/// "mnt-volume.mount"
std::string mount_unit(const std::string& path);
/// "/dev/disk/by-id/nvme-uuid.…"
std::string device_of(const std::string& wwid);
/// "systemd-fsck@….service" of a device.
std::string fsck_unit(const std::string& device);

struct MountText {
  std::string path;
  std::string device;  ///< by-id
  std::string type;
  std::string options;  ///< as mount(8) takes them
  ConnectionKey connection;
  bool checked = false;  ///< fsck runs before the mount
};
std::string mount_text(const MountText& mount);

/// Why no storage can be managed here; empty: it can.
std::optional<Skipped> without_storage(host::View& view, const host::NvmeWorld& world);

// waits_or_fails: what becomes of a step on storage when a port does not do what is asked of it.

/// Storage needs other machines, and nothing but storage needs it. So a step waits for what
/// gave no answer in time (kTimeout) and for what somebody keeps busy (kBusy), and the network that
/// the same plan sets up stays. Any other error is a failure.
Outcome waits_or_fails(const Error& error);
/// The same of an error; else done.
Outcome waits_or_fails(const Result<>& made);

}  // namespace spark::kinds
