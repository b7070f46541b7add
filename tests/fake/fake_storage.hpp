#pragma once
// FakeStorage: NVMe targets of a fake world, the connections to them, and what is mounted. Its
// units do on the fake bus what the real ones do under systemd.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fake/fake_bus.hpp"
#include "fake/fake_files.hpp"
#include "fake/fake_writes.hpp"
#include "host/storage.hpp"

namespace spark::test {

/// One subsystem of a target elsewhere.
struct FakeTarget {
  std::string nqn;
  std::string address;
  std::uint16_t port = 4420;
  /// Why it does not let itself be connected to (protocol/nvme.hpp); empty: it does.
  std::string refuses;
  struct Volume {
    std::uint32_t nsid = 1;
    std::string uuid;
    host::Superblock superblock{.type = "ext4", .clean = true, .uuid = "0123"};
  };
  std::vector<Volume> volumes;
};

class FakeStorage : public host::Storage {
 public:
  FakeStorage(FakeWrites& writes, FakeFiles& files, FakeBus& bus);

  Result<host::NvmeWorld> nvme() override;
  /// Without waiting: volumes that are late come after the first look.
  Result<host::NvmeWorld> await_nvme(const std::function<bool(const host::NvmeWorld&)>& until,
                                     std::chrono::milliseconds deadline) override;
  Result<std::vector<host::MountInfo>> mounts() override;
  Result<host::Mountpoint> mountpoint(const std::string& path) override;
  Result<host::Superblock> superblock(const std::string& name) override;
  Result<> try_out(const std::string& path, bool writes) override;
  Result<> sync(const std::string& path) override;
  Result<> claim(const std::string& name) override;
  Result<std::vector<std::string>> users(const std::string& path,
                                         const std::string& device) override;
  Result<std::vector<host::NvmeOffer>> discover(const IpAddress& address, std::uint16_t port,
                                                const std::string& via) override;
  Result<std::string> random_uuid() override;
  Result<bool> make_mountpoint(const std::string& path) override;
  Result<> release_mountpoint(const std::string& path) override;
  Result<> keep_trying(const std::string& controller) override;

  // What the world is made of, and what happens to it without us.

  /// A target stands somewhere; one with the same NQN takes its place.
  void add_target(FakeTarget target);
  FakeTarget* target(const std::string& nqn);
  /// Somebody connects by hand.
  void connect(const std::string& nqn, const std::string& via = {}, bool forever = true);
  /// Somebody disconnects by hand.
  void disconnect(const std::string& nqn);
  /// Power goes: nothing is connected or mounted, nothing was unmounted.
  void cut_power();
  /// The kernel finds the volumes of a new connection only while somebody waits for them; `never`:
  /// not even then.
  void delay_volumes(bool never = false) {
    volumes_late_ = true;
    volumes_come_ = !never;
  }
  /// Its connections are lost, or come back: "connecting", "live".
  void set_state(const std::string& nqn, const std::string& state);
  /// Somebody mounts something at the path.
  void mount(host::MountInfo mount);
  host::MountInfo* mounted(const std::string& path);
  host::NvmeNamespace* volume(const std::string& nqn);
  /// A process keeps what is mounted at the path busy; none when it is empty.
  void set_user(const std::string& path, const std::string& who);
  /// A directory with those properties.
  void put_directory(const std::string& path, host::Mountpoint point) {
    directories_[path] = point;
  }
  /// The last attempts to connect were made so much longer ago.
  void pass(std::int64_t seconds);
  /// What is mounted there does not answer, or cannot be written.
  void break_volume(const std::string& path, Error error) { broken_.insert_or_assign(path, error); }

 private:
  Result<> start_connection(const std::string& unit);
  Result<> stop_connection(const std::string& unit);
  Result<> start_mount(const std::string& unit);
  Result<> stop_mount(const std::string& unit);
  void attach(const FakeTarget& target, const std::string& via, bool forever);

  FakeWrites& writes_;
  FakeFiles& files_;
  std::map<std::string, FakeTarget> targets_;  ///< by NQN
  host::NvmeWorld world_;
  std::vector<host::MountInfo> mounts_;
  std::map<std::string, host::Mountpoint> directories_;
  std::map<std::string, std::string> users_;  ///< by path
  std::map<std::string, Error> broken_;       ///< by path
  bool volumes_late_ = false;
  bool volumes_come_ = true;
  std::vector<host::NvmeNamespace> late_;  ///< not found yet
  int next_controller_ = 1;
  int next_mount_ = 100;
};

}  // namespace spark::test
