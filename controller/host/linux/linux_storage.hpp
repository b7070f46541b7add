#pragma once
// LinuxStorage: the Storage port on this machine. `spark-storage`, a process that can be left
// behind, asks what may wait for a lost target.

#include <string>

#include "host/files.hpp"
#include "host/storage.hpp"

namespace spark::host {

class LinuxStorage : public Storage {
 public:
  /// `files` gives what our connections have left below /run, and must outlive this. Mountpoints
  /// are below `root`.
  LinuxStorage(Files& files, std::string root) : files_(files), root_(std::move(root)) {}

  Result<NvmeWorld> nvme() override;
  Result<NvmeWorld> await_nvme(const std::function<bool(const NvmeWorld&)>& until,
                               std::chrono::milliseconds deadline) override;
  Result<std::vector<MountInfo>> mounts() override;
  Result<Mountpoint> mountpoint(const std::string& path) override;
  Result<Superblock> superblock(const std::string& name) override;
  Result<> try_out(const std::string& path, bool writes) override;
  Result<> sync(const std::string& path) override;
  Result<> claim(const std::string& name) override;
  Result<std::vector<std::string>> users(const std::string& path,
                                         const std::string& device) override;
  Result<std::vector<NvmeOffer>> discover(const IpAddress& address, std::uint16_t port,
                                          const std::string& via) override;
  Result<std::string> random_uuid() override;
  Result<bool> make_mountpoint(const std::string& path) override;
  Result<> release_mountpoint(const std::string& path) override;
  Result<> keep_trying(const std::string& controller) override;

 private:
  Files& files_;
  std::string root_;
};

/// Reads what `spark-storage connect` leaves; `now` is in seconds since boot. Errors: kInvalid.
Result<NvmeAttempt> parse_attempt(const std::string& text, std::int64_t now);
/// Read what `spark-storage superblock` and `discover` print. Errors: the failure that they report.
Result<Superblock> parse_superblock(const std::string& text);
Result<std::vector<NvmeOffer>> parse_offers(const std::string& text);

}  // namespace spark::host
