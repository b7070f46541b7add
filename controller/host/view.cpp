#include "host/view.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace spark::host {
namespace {

template <class T, class Read>
Result<T> look(Host* host, std::string_view what, Read read) {
  if (host == nullptr) {
    return fail(ErrorCode::kUnsupported, fmt::format("{}: not in these facts", what));
  }
  return read(*host);
}

template <class T, class Read>
const Result<T>& once(Host* host, std::optional<Result<T>>& table, std::string_view what,
                      Read read) {
  if (!table) table = look<T>(host, what, read);
  return *table;
}

template <class Key, class T, class Read>
const Result<T>& once(Host* host, std::map<Key, Result<T>>& table, const Key& key,
                      std::string_view what, Read read) {
  const auto known = table.find(key);
  return known != table.end() ? known->second
                              : table.emplace(key, look<T>(host, what, read)).first->second;
}

std::string name_of(const RdmaPort& port) { return fmt::format("{}/{}", port.device, port.port); }

const LinkInfo* find_link(const Result<std::vector<LinkInfo>>& links, auto matches) {
  if (!links) return nullptr;
  const auto found = std::ranges::find_if(*links, matches);
  return found == links->end() ? nullptr : &*found;
}

}  // namespace

const Result<std::vector<LinkInfo>>& View::links() {
  return once(host_, links_, "links", [](Host& host) { return host.netlink.links(); });
}

const Result<std::vector<AddressInfo>>& View::addresses() {
  return once(host_, addresses_, "addresses", [](Host& host) { return host.netlink.addresses(); });
}

const Result<std::vector<RouteInfo>>& View::routes() {
  return once(host_, routes_, "routes", [](Host& host) { return host.netlink.routes(); });
}

const Result<std::vector<RuleInfo>>& View::rules() {
  return once(host_, rules_, "rules", [](Host& host) { return host.netlink.rules(); });
}

const Result<RouteInfo>& View::route_to(const IpAddress& destination,
                                        const std::optional<IpAddress>& source) {
  return once(host_, route_to_, destination, "route to " + destination.text(),
              [&](Host& host) { return host.netlink.route_to(destination, source); });
}

const Result<SysctlValue>& View::sysctl(const std::string& key) {
  return once(host_, sysctl_, key, key, [&](Host& host) { return host.sysctl.read(key); });
}

const Result<std::optional<std::string>>& View::file(const std::string& path) {
  return once(host_, file_, path, path, [&](Host& host) { return host.files.read(path); });
}

const Result<std::optional<std::string>>& View::excerpt(
    const std::string& path, Result<std::string> (*make)(const std::string& text)) {
  return once(host_, excerpt_, path, path, [&](Host& host) -> Result<std::optional<std::string>> {
    const auto text = host.files.read(path);
    if (!text || !*text) return text;
    auto kept = make(**text);
    if (!kept) return std::unexpected(kept.error());
    return std::optional(*std::move(kept));
  });
}

const Result<bool>& View::is_replaceable(const std::string& path) {
  return once(host_, replaceable_, path, path,
              [&](Host& host) { return host.files.is_replaceable(path); });
}

const Result<std::vector<std::string>>& View::directory(const std::string& path) {
  return once(host_, directory_, path, path, [&](Host& host) { return host.files.list(path); });
}

const Result<Identity>& View::identity() {
  return once(host_, identity_, "identity", [](Host& host) { return host.system.identity(); });
}

const Result<std::vector<IpAddress>>& View::ssh_addresses() {
  return once(host_, ssh_addresses_, "ssh sessions",
              [](Host& host) -> Result<std::vector<IpAddress>> {
                const auto sessions = host.system.ssh_sessions();
                if (!sessions) return std::unexpected(sessions.error());
                std::set<IpAddress> locals;
                for (const auto& session : *sessions) locals.insert(session.local);
                return std::vector(locals.begin(), locals.end());
              });
}

Result<std::vector<SshSession>> View::ssh_sessions() {
  return look<std::vector<SshSession>>(host_, "ssh sessions",
                                       [](Host& host) { return host.system.ssh_sessions(); });
}

const Result<HardwareFacts>& View::hardware() {
  return once(host_, hardware_, "hardware", [](Host& host) { return host.hardware.look(); });
}

std::vector<IpPrefix> View::addresses_on(const LinkInfo& link) {
  std::vector<IpPrefix> found;
  if (const auto& all = addresses()) {
    for (const auto& address : *all) {
      if (address.link_index == link.index && !address.address.ip.is_link_local()) {
        found.push_back(address.address);
      }
    }
  }
  return found;
}

const AddressInfo* View::address(const LinkInfo& link, const IpAddress& ip) {
  const auto& all = addresses();
  if (!all) return nullptr;
  const auto found = std::ranges::find_if(*all, [&](const AddressInfo& address) {
    return address.link_index == link.index && address.address.ip == ip;
  });
  return found == all->end() ? nullptr : &*found;
}

const LinkHardware* View::hardware_of(const std::string& link) {
  const auto& facts = hardware();
  if (!facts) return nullptr;
  const auto found = std::ranges::find(facts->links, link, &LinkHardware::link);
  return found == facts->links.end() ? nullptr : &*found;
}

const Result<std::vector<RdmaPort>>& View::rdma_ports() {
  return once(host_, rdma_ports_, "RDMA ports", [](Host& host) { return host.rdma.ports(); });
}

const Result<std::vector<RdmaGid>>& View::rdma_gids(const RdmaPort& port) {
  return once(host_, rdma_gids_, name_of(port), "GIDs of " + name_of(port),
              [&](Host& host) { return host.rdma.gids(port.device, port.port); });
}

Result<std::optional<RdmaGid>> View::rdma_gid(const RdmaPort& port, const IpAddress& ip,
                                              const std::string& link) {
  if (host_ != nullptr && !rdma_gids_.contains(name_of(port))) {
    return host_->rdma.find_gid(port.device, port.port, ip, link);
  }
  const auto& gids = rdma_gids(port);
  if (!gids) return std::unexpected(gids.error());
  const auto found =
      std::ranges::find_if(*gids, [&](const RdmaGid& gid) { return is_gid_of(gid, ip, link); });
  return found == gids->end() ? std::nullopt : std::optional(*found);
}

const Result<std::optional<std::string>>& View::rdma_cm_mode(const RdmaPort& port) {
  return once(host_, rdma_cm_mode_, name_of(port), "rdma_cm mode of " + name_of(port),
              [&](Host& host) { return host.rdma.cm_mode(port.device, port.port); });
}

const Result<ModuleInfo>& View::module(const std::string& name) {
  return once(host_, modules_, name, "module " + name,
              [&](Host& host) { return host.modules.look(name); });
}

const Result<std::vector<ProcessGroup>>& View::process_groups() {
  return once(host_, process_groups_, "running processes",
              [](Host& host) { return host.processes.groups(); });
}

const Result<std::vector<UnitSetting>>& View::unit_settings(const std::string& unit,
                                                            const std::string& key) {
  const auto name = fmt::format("{} {}", unit, key);
  return once(host_, unit_settings_, name, "unit file of " + unit,
              [&](Host& host) { return read_unit_settings(host.files, unit, key); });
}

Result<std::vector<std::uint32_t>> View::rdma_users(const RdmaPort& port) {
  return look<std::vector<std::uint32_t>>(host_, "users of " + name_of(port),
                                          [&](Host& host) { return host.rdma.users(port.device); });
}

Result<std::optional<RunningProcess>> View::process(std::uint32_t pid) {
  return look<std::optional<RunningProcess>>(
      host_, fmt::format("process {}", pid),
      [&](Host& host) { return host.processes.process(pid); });
}

const Result<NvmeWorld>& View::nvme() {
  return once(host_, nvme_, "NVMe targets", [](Host& host) { return host.storage.nvme(); });
}

const Result<std::vector<MountInfo>>& View::mounts() {
  return once(host_, mounts_, "mounts", [](Host& host) { return host.storage.mounts(); });
}

const Result<Mountpoint>& View::mountpoint(const std::string& path) {
  return once(host_, mountpoints_, path, "mountpoint " + path,
              [&](Host& host) { return host.storage.mountpoint(path); });
}

const Result<Superblock>& View::superblock(const std::string& name) {
  return once(host_, superblocks_, name, "superblock of " + name,
              [&](Host& host) { return host.storage.superblock(name); });
}

const Result<std::vector<std::string>>& View::volume_users(const std::string& path,
                                                           const std::string& device) {
  return once(host_, volume_users_, path, "users of " + path,
              [&](Host& host) { return host.storage.users(path, device); });
}

const Result<std::vector<NvmeOffer>>& View::nvme_offers(const IpAddress& address,
                                                        std::uint16_t port,
                                                        const std::string& via) {
  const auto name = fmt::format("{} {}", address.text(), port);
  return once(host_, nvme_offers_, name, "offers of " + name,
              [&](Host& host) { return host.storage.discover(address, port, via); });
}

const RdmaPort* View::rdma_port(const LinkInfo& link) {
  const auto& ports = rdma_ports();
  if (!ports) return nullptr;
  const auto found = std::ranges::find(*ports, link.index, &RdmaPort::link_index);
  return found == ports->end() ? nullptr : &*found;
}

std::vector<std::string> View::sources() const {
  std::set<std::string> paths;
  for (const auto& [path, text] : file_) paths.insert(path);
  for (const auto& [path, text] : excerpt_) paths.insert(path);
  for (const auto& [path, names] : directory_) paths.insert(path);
  return {paths.begin(), paths.end()};
}

std::vector<Error> View::unread() const {
  std::map<std::string, Error> found;
  const auto take = [&](const auto& table) {
    for (const auto& [path, read] : table) {
      if (read || read.error().code == ErrorCode::kUnsupported) continue;
      auto error = read.error();
      // A program, a directory or a device, as crontab's `cd /` names: no text that sets anything.
      const bool is_large = error.what.contains("': longer than ") && !path.starts_with("/etc/");
      const bool is_no_text =
          is_large || (error.code == ErrorCode::kInvalid && error.what.starts_with("read '"));
      if (is_no_text) continue;
      // Of a damaged file its reader says what is wrong, and not where it is.
      if (!error.what.contains(path)) error.what = fmt::format("{}: {}", path, error.what);
      found.try_emplace(path, std::move(error));
    }
  };
  take(file_);
  take(excerpt_);
  take(directory_);
  std::vector<Error> errors;
  std::ranges::move(found | std::views::values, std::back_inserter(errors));
  return errors;
}

const LinkInfo* View::link(const std::string& name) {
  return find_link(links(), [&](const LinkInfo& link) {
    return link.name == name || std::ranges::find(link.altnames, name) != link.altnames.end();
  });
}

const LinkInfo* View::link(int index) {
  return find_link(links(), [&](const LinkInfo& link) { return link.index == index; });
}

}  // namespace spark::host
