#pragma once
// Storage: NVMe targets this machine is connected to, their volumes, and what is mounted where;
// adapter in linux/linux_storage.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "protocol/nvme.hpp"
#include "protocol/volume.hpp"

namespace spark::host {

/// One connection over a fabric (/sys/class/nvme/NAME). Local disks are none.
struct NvmeController {
  std::string name;       ///< "nvme1"
  std::string nqn;        ///< subsysnqn
  std::string transport;  ///< "tcp", "rdma", …
  std::string state;      ///< "live", "connecting", "resetting", "deleting", "dead", …
  std::string address;    ///< of the target
  std::string port;       ///< trsvcid, as text
  std::string via;        ///< host_iface; empty: the routes decide
  std::string source;     ///< src_addr, our address on this connection; empty: not known
  std::string host_nqn;
  bool forever = false;  ///< ctrl_loss_tmo off: reconnects until somebody disconnects
  bool operator==(const NvmeController&) const = default;
};

/// One volume of a subsystem over a fabric (/sys/block/NAME). Its name means nothing: the next boot
/// may give it to another.
struct NvmeNamespace {
  std::string name;  ///< "nvme1n1"
  std::string nqn;   ///< of its subsystem
  std::uint32_t nsid = 0;
  std::string wwid;                          ///< as in /dev/disk/by-id/nvme-WWID
  std::string uuid;                          ///< lower case; empty: it has none
  std::string device;                        ///< "259:3", as /proc/self/mountinfo names it
  std::vector<std::string> holders;          ///< dm and md devices on top of it
  std::optional<std::uint64_t> ext4_errors;  ///< errors_count, while it is mounted as ext4
  bool operator==(const NvmeNamespace&) const = default;
};

/// How the last attempt at a connection of ours went (protocol/nvme.hpp).
struct NvmeAttempt {
  std::string outcome;
  std::string reason;
  std::string what;
  std::int64_t seconds_ago = 0;
  bool operator==(const NvmeAttempt&) const = default;
};

struct NvmeWorld {
  std::string program;  ///< path of the executable that connects; empty: it is not installed
  std::vector<NvmeController> controllers;
  std::vector<NvmeNamespace> namespaces;
  std::map<std::string, NvmeAttempt> attempts;  ///< by the connection's id
};

/// One line of /proc/self/mountinfo.
struct MountInfo {
  int id = 0;  ///< of this mount alone: the next mount has another
  std::string path;
  std::string device;  ///< "259:3"
  std::string source;
  std::string type;
  int shared = 0;         ///< peer group that it passes mounts and unmounts on to; 0: none
  int master = 0;         ///< peer group that it takes them from; 0: none
  bool gone = false;      ///< its block device does not exist any more
  bool writable = false;  ///< neither the mount nor the file system is read-only
  std::vector<std::string> options;  ///< of both, without ro and rw
  bool operator==(const MountInfo&) const = default;
};

/// The directory that something is to be mounted on, while nothing is.
struct Mountpoint {
  bool exists = false;
  bool is_directory = false;  ///< and no symbolic link leads to it
  bool empty = false;
  bool immutable = false;  ///< FS_IMMUTABLE_FL: nobody can put a file there
  bool operator==(const Mountpoint&) const = default;
};

using protocol::NvmeOffer;
using protocol::Superblock;

class Storage {
 public:
  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  virtual ~Storage() = default;

  virtual Result<NvmeWorld> nvme() = 0;
  /// Reads the same until `until` holds of it, again whenever devices come, change or go, and gives
  /// what it read last: after `deadline` also what `until` does not hold of.
  virtual Result<NvmeWorld> await_nvme(const std::function<bool(const NvmeWorld&)>& until,
                                       std::chrono::milliseconds deadline) = 0;
  virtual Result<std::vector<MountInfo>> mounts() = 0;
  /// Errors: kBusy when something is mounted there or on the way, other than the root.
  virtual Result<Mountpoint> mountpoint(const std::string& path) = 0;
  /// The superblock of a volume, by the volume's name. Errors of this and the next three: kTimeout
  /// when the volume does not answer, as one whose target is lost.
  virtual Result<Superblock> superblock(const std::string& name) = 0;
  /// Whether what is mounted there can be read, or written and synced; leaves nothing behind.
  virtual Result<> try_out(const std::string& path, bool writes) = 0;
  /// Writes all that the file system there has not written yet.
  virtual Result<> sync(const std::string& path) = 0;
  /// Checks that nobody uses the volume (O_EXCL), in any mount namespace. Errors: kBusy.
  virtual Result<> claim(const std::string& name) = 0;
  /// Who uses the file system mounted at `path`, or its device ("259:3"), as far as it can be seen:
  /// "process 812 (dd): an open file".
  virtual Result<std::vector<std::string>> users(const std::string& path,
                                                 const std::string& device) = 0;
  /// What the target offers this host. Errors as a connection's, in words.
  virtual Result<std::vector<NvmeOffer>> discover(const IpAddress& address, std::uint16_t port,
                                                  const std::string& via) = 0;

  /// 16 random bytes as a version 4 UUID.
  virtual Result<std::string> random_uuid() = 0;
  /// Makes the directory where it is absent, and makes it immutable. True: it was made.
  /// Errors: kInvalid when it is no directory, or a symbolic link is on the way.
  virtual Result<bool> make_mountpoint(const std::string& path) = 0;
  /// Makes it possible to put files there again. The directory stays.
  virtual Result<> release_mountpoint(const std::string& path) = 0;
  /// Makes the kernel reconnect the controller until somebody disconnects.
  virtual Result<> keep_trying(const std::string& controller) = 0;
};

}  // namespace spark::host
