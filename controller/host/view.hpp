#pragma once
// View: one look at the host. Each table is read when first asked for and at most once, so all
// kinds of one pass judge the same state; what was read can be written down and looked at again
// elsewhere.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "host/unit_files.hpp"

namespace spark::host {

class View {
 public:
  /// Reads from `host`, which must outlive the view.
  explicit View(Host& host) : host_(&host) {}

  /// A view of what `to_json` wrote on another machine, with or without the envelope that the verb
  /// `facts` puts around it; the view reads nothing more: a table that is not in `text` is
  /// kUnsupported, "not in these facts". Errors: kInvalid, saying where the text is wrong.
  static Result<View> from_json(const std::string& text);

  const Result<std::vector<LinkInfo>>& links();
  const Result<std::vector<AddressInfo>>& addresses();
  const Result<std::vector<RouteInfo>>& routes();
  const Result<std::vector<RuleInfo>>& rules();
  /// As Netlink::route_to; `source` counts only when a destination is asked for the first time.
  const Result<RouteInfo>& route_to(const IpAddress& destination,
                                    const std::optional<IpAddress>& source = std::nullopt);
  const Result<SysctlValue>& sysctl(const std::string& key);
  const Result<std::optional<std::string>>& file(const std::string& path);
  /// What `make` takes from a file that may hold secrets: nothing else of the file is kept, or
  /// appears in facts.
  const Result<std::optional<std::string>>& excerpt(
      const std::string& path, Result<std::string> (*make)(const std::string& text));
  const Result<bool>& is_replaceable(const std::string& path);
  const Result<std::vector<std::string>>& directory(const std::string& path);
  const Result<Identity>& identity();
  /// The local addresses of System::ssh_sessions, each once.
  const Result<std::vector<IpAddress>>& ssh_addresses();
  /// As System::ssh_sessions, read at each call: facts do not say from where somebody is logged in.
  Result<std::vector<SshSession>> ssh_sessions();
  const Result<HardwareFacts>& hardware();
  const Result<std::vector<RdmaPort>>& rdma_ports();
  const Result<std::vector<RdmaGid>>& rdma_gids(const RdmaPort& port);
  /// One GID, as Rdma::find_gid: does not read the whole table, unless that was read already.
  Result<std::optional<RdmaGid>> rdma_gid(const RdmaPort& port, const IpAddress& ip,
                                          const std::string& link);
  const Result<std::optional<std::string>>& rdma_cm_mode(const RdmaPort& port);
  /// As Modules::look; `name` as the kernel has it.
  const Result<ModuleInfo>& module(const std::string& name);
  const Result<std::vector<ProcessGroup>>& process_groups();
  /// As read_unit_settings.
  const Result<std::vector<UnitSetting>>& unit_settings(const std::string& unit,
                                                        const std::string& key);
  /// As Rdma::users, read at each call.
  Result<std::vector<std::uint32_t>> rdma_users(const RdmaPort& port);
  /// As Processes::process, read at each call.
  Result<std::optional<RunningProcess>> process(std::uint32_t pid);

  const Result<NvmeWorld>& nvme();
  const Result<std::vector<MountInfo>>& mounts();
  const Result<Mountpoint>& mountpoint(const std::string& path);
  /// As Storage::superblock, of a volume by its name.
  const Result<Superblock>& superblock(const std::string& name);
  /// As Storage::users, by path.
  const Result<std::vector<std::string>>& volume_users(const std::string& path,
                                                       const std::string& device);
  /// As Storage::discover.
  const Result<std::vector<NvmeOffer>>& nvme_offers(const IpAddress& address, std::uint16_t port,
                                                    const std::string& via);

  /// The link of that name or alternative name; null when there is none or links cannot be read.
  const LinkInfo* link(const std::string& name);
  /// The link with that index; null when there is none or links cannot be read.
  const LinkInfo* link(int index);
  /// The addresses on the link, except link-local ones.
  std::vector<IpPrefix> addresses_on(const LinkInfo& link);
  /// The address on the link; null when it is not there or addresses cannot be read.
  const AddressInfo* address(const LinkInfo& link, const IpAddress& ip);
  /// What is known of that link's hardware; null when it is no PCI function, or nothing can be
  /// read.
  const LinkHardware* hardware_of(const std::string& link);
  /// The RDMA port whose network device this link is; null when there is none or ports cannot be
  /// read.
  const RdmaPort* rdma_port(const LinkInfo& link);

  /// The files and directories that were looked at, also those that are not there; sorted.
  [[nodiscard]] std::vector<std::string> sources() const;

  /// Why one of these could not be read, each with its path; what stands there is not known. Sorted
  /// by path. What no facts have is not among them.
  [[nodiscard]] std::vector<Error> unread() const;

  /// All that was read so far, as one JSON object (two-space indent, sorted keys).
  [[nodiscard]] std::string to_json() const;

 private:
  View() = default;

  /// Calls `visit(name, table)` for all tables of `view`, a View or const View.
  template <class Self, class Visit>
  static void each_table(Self& view, Visit visit);

  Host* host_ = nullptr;  ///< null: offline
  std::optional<Result<std::vector<LinkInfo>>> links_;
  std::optional<Result<std::vector<AddressInfo>>> addresses_;
  std::optional<Result<std::vector<RouteInfo>>> routes_;
  std::optional<Result<std::vector<RuleInfo>>> rules_;
  std::map<IpAddress, Result<RouteInfo>> route_to_;
  std::map<std::string, Result<SysctlValue>> sysctl_;
  std::map<std::string, Result<std::optional<std::string>>> file_;
  std::map<std::string, Result<std::optional<std::string>>> excerpt_;
  std::map<std::string, Result<bool>> replaceable_;
  std::map<std::string, Result<std::vector<std::string>>> directory_;
  std::optional<Result<Identity>> identity_;
  std::optional<Result<std::vector<IpAddress>>> ssh_addresses_;
  std::optional<Result<HardwareFacts>> hardware_;
  std::optional<Result<std::vector<RdmaPort>>> rdma_ports_;
  // By port: "rocep1s0f0/1".
  std::map<std::string, Result<std::vector<RdmaGid>>> rdma_gids_;
  std::map<std::string, Result<std::optional<std::string>>> rdma_cm_mode_;
  std::optional<Result<NvmeWorld>> nvme_;
  std::optional<Result<std::vector<MountInfo>>> mounts_;
  std::map<std::string, Result<Mountpoint>> mountpoints_;
  std::map<std::string, Result<Superblock>> superblocks_;
  std::map<std::string, Result<std::vector<std::string>>> volume_users_;
  std::map<std::string, Result<std::vector<NvmeOffer>>> nvme_offers_;  // by "192.0.2.1 4420"
  std::map<std::string, Result<ModuleInfo>> modules_;
  std::optional<Result<std::vector<ProcessGroup>>> process_groups_;
  std::map<std::string, Result<std::vector<UnitSetting>>> unit_settings_;  ///< "ssh.service KEY"
};

}  // namespace spark::host
