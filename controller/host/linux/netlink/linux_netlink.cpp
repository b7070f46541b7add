#include "host/linux/netlink/linux_netlink.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "host/linux/netlink/decode.hpp"
#include "host/linux/netlink/encode.hpp"
#include "host/linux/netlink/firewall.hpp"
#include "host/linux/netlink/wifi_power.hpp"

namespace spark::host {
namespace {

std::unexpected<Error> refused(const NetlinkFailure& failure, const std::string& what) {
  if (failure.text.empty()) return fail_errno(failure.number, what);
  return fail(error_code_of(failure.number),
              fmt::format("{}: {} ({})", what, failure.text,
                          std::generic_category().message(failure.number)));
}

template <class Row>
void append(std::vector<Row>& rows, std::optional<Row> row) {
  if (row) rows.push_back(std::move(*row));
}

template <class Row>
void append(std::vector<Row>& rows, std::vector<Row> more) {
  std::ranges::move(more, std::back_inserter(rows));
}

/// All rows of one dump whose messages have that type. A row that cannot be read fails the table:
/// what is not known must not look absent.
template <class Row, class Decode>
Result<std::vector<Row>> dump(NetlinkSocket& socket, const NetlinkRequest& request, int type,
                              Decode decode, const std::string& what) {
  std::vector<Row> rows;
  std::optional<Error> unreadable;
  const auto outcome = socket.dump(
      request,
      [&] {
        rows.clear();
        unreadable.reset();
      },
      [&](const nlmsghdr& message) {
        if (message.nlmsg_type != type) return;
        auto row = decode(message);
        if (!row) {
          unreadable = row.error();
        } else {
          append(rows, std::move(*row));
        }
      });
  if (!outcome) return refused(outcome.error(), what);
  if (unreadable) return fail(unreadable->code, fmt::format("{}: {}", what, unreadable->what));
  return rows;
}

/// `decode_link` in the shape of the others: every row of a link dump is a link.
Result<std::optional<LinkInfo>> decode_any_link(const nlmsghdr& message) {
  auto link = decode_link(message);
  if (!link) return std::unexpected(link.error());
  return std::move(*link);
}

/// The routes of one table. Without the table there are none (kernel: ENOENT), and none without
/// the family: rtnetlink_rcv_msg then answers for every family it has.
Result<std::vector<RouteInfo>> dump_table(NetlinkSocket& socket, IpFamily family,
                                          std::uint32_t table) {
  rtmsg header{};
  header.rtm_family = address_family(family);
  NetlinkRequest request(RTM_GETROUTE, header);
  request.put_u32(RTA_TABLE, table);
  auto routes = dump<RouteInfo>(socket, request, RTM_NEWROUTE, decode_route,
                                fmt::format("read routes of table {}", table));
  if (!routes && routes.error().code == ErrorCode::kNotFound) return std::vector<RouteInfo>{};
  if (routes) {
    std::erase_if(*routes,
                  [&](const RouteInfo& route) { return route.destination.ip.family() != family; });
  }
  return routes;
}

/// The ifindex that the name or alternative name has now.
NetlinkSocket::Answer<int> index_of_link(NetlinkSocket& socket, const std::string& name) {
  ifreq by_name{};
  if (name.size() < sizeof(by_name.ifr_name)) {
    name.copy(by_name.ifr_name, name.size());
    // The cheapest question there is; any socket of the namespace answers it (sock_do_ioctl).
    if (ioctl(socket.descriptor(), SIOCGIFINDEX, &by_name) != 0) {
      return std::unexpected(NetlinkFailure{errno, ""});
    }
    return by_name.ifr_ifindex;
  }
  // Only an alternative name is as long as that.
  NetlinkRequest request(RTM_GETLINK, ifinfomsg{});
  request.put_u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
  request.put_text(IFLA_ALT_IFNAME, name);
  int index = 0;
  const auto outcome = socket.request(request, [&](const nlmsghdr& message) {
    const auto link = decode_link(message);
    index = link ? link->index : 0;
  });
  if (!outcome) return std::unexpected(outcome.error());
  if (index == 0) return std::unexpected(NetlinkFailure{ENODEV, ""});
  return index;
}

}  // namespace

Result<NetlinkSocket*> LinuxNetlink::socket() {
  if (!socket_) {
    auto opened = NetlinkSocket::open();
    if (!opened) return std::unexpected(opened.error());
    socket_ = std::move(*opened);
  }
  return &*socket_;
}

Result<std::vector<LinkInfo>> LinuxNetlink::links() {
  const auto socket = this->socket();
  if (!socket) return std::unexpected(socket.error());
  NetlinkRequest request(RTM_GETLINK, ifinfomsg{});
  request.put_u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
  return dump<LinkInfo>(**socket, request, RTM_NEWLINK, decode_any_link, "read links");
}

Result<std::vector<AddressInfo>> LinuxNetlink::addresses() {
  const auto socket = this->socket();
  if (!socket) return std::unexpected(socket.error());
  return dump<AddressInfo>(**socket, NetlinkRequest(RTM_GETADDR, ifaddrmsg{}), RTM_NEWADDR,
                           decode_address, "read addresses");
}

Result<std::vector<RuleInfo>> LinuxNetlink::rules() {
  const auto socket = this->socket();
  if (!socket) return std::unexpected(socket.error());
  return dump<RuleInfo>(**socket, NetlinkRequest(RTM_GETRULE, fib_rule_hdr{}), RTM_NEWRULE,
                        decode_rule, "read rules");
}

Result<std::vector<NeighbourInfo>> LinuxNetlink::neighbours() {
  const auto socket = this->socket();
  if (!socket) return std::unexpected(socket.error());
  return dump<NeighbourInfo>(**socket, NetlinkRequest(RTM_GETNEIGH, ndmsg{}), RTM_NEWNEIGH,
                             decode_neighbour, "read neighbours");
}

Result<std::vector<BaseChain>> LinuxNetlink::base_chains() {
  auto socket = NetlinkSocket::open(NETLINK_NETFILTER);
  if (!socket) return std::unexpected(socket.error());
  return dump<BaseChain>(*socket, encode_get_chains(), chain_message_type(), decode_base_chain,
                         "read the chains of nftables");
}

std::optional<bool> LinuxNetlink::wifi_power_save(int link_index) {
  return read_wifi_power_save(link_index);
}

Result<std::vector<RouteInfo>> LinuxNetlink::routes() {
  const auto socket = this->socket();
  const auto rules = this->rules();
  if (!socket || !rules) return std::unexpected(socket ? rules.error() : socket.error());
  // Table by table, so that the kernel leaves out the local one: it holds three routes for each
  // address.
  std::set<std::pair<IpFamily, std::uint32_t>> tables{{IpFamily::kV4, RT_TABLE_MAIN},
                                                      {IpFamily::kV6, RT_TABLE_MAIN}};
  for (const auto& rule : *rules) tables.emplace(rule.family, rule.table);
  std::vector<RouteInfo> routes;
  for (const auto& [family, table] : tables) {
    if (table == RT_TABLE_LOCAL || table == RT_TABLE_UNSPEC) continue;
    const auto some = dump_table(**socket, family, table);
    if (!some) return std::unexpected(some.error());
    routes.insert(routes.end(), some->begin(), some->end());
  }
  return routes;
}

Result<RouteInfo> LinuxNetlink::route_to(const IpAddress& destination,
                                         const std::optional<IpAddress>& source) {
  const auto socket = this->socket();
  if (!socket) return std::unexpected(socket.error());
  rtmsg header{};
  header.rtm_family = address_family(destination.family());
  header.rtm_dst_len = destination.bits();
  header.rtm_src_len = source ? source->bits() : 0;
  // IPv6 always says which table the route is in, and refuses to be asked.
  header.rtm_flags = RTM_F_FIB_MATCH | (destination.is_v4() ? RTM_F_LOOKUP_TABLE : 0);
  NetlinkRequest request(RTM_GETROUTE, header);
  request.put_ip(RTA_DST, destination);
  if (source) request.put_ip(RTA_SRC, *source);

  const auto what = fmt::format("find the route to '{}'", destination.text());
  Result<std::vector<RouteInfo>> route;
  const auto outcome = (*socket)->request(request, [&](const nlmsghdr& message) {
    if (message.nlmsg_type == RTM_NEWROUTE) route = decode_route(message);
  });
  if (!outcome) {
    auto error = refused(outcome.error(), what).error();
    // What errno means here is not what it means elsewhere: no route matched, or one that says
    // unreachable (EHOSTUNREACH), prohibit (EACCES) or blackhole (EINVAL) did.
    error.code = outcome.error().number == ENETUNREACH ? ErrorCode::kNotFound : ErrorCode::kSystem;
    return std::unexpected(std::move(error));
  }
  if (!route) return fail(route.error().code, fmt::format("{}: {}", what, route.error().what));
  if (route->empty()) {
    return fail(ErrorCode::kSystem, what + ": the kernel answered without a route");
  }
  return route->front();
}

template <class Build, class Describe>
Result<> LinuxNetlink::write(const std::string& link, Build build, Describe describe) {
  const auto socket = this->socket();
  if (!socket) return std::unexpected(socket.error());
  const auto index = index_of_link(**socket, link);
  if (!index) return refused(index.error(), describe());
  const auto outcome = (*socket)->request(build(*index));
  if (!outcome) return refused(outcome.error(), describe());
  return {};
}

Result<> LinuxNetlink::set_up(const std::string& link, bool up) {
  return write(
      link, [&](int index) { return encode_set_up(index, up); },
      [&] { return fmt::format("set '{}' {}", link, up ? "up" : "down"); });
}

Result<> LinuxNetlink::set_mtu(const std::string& link, std::uint32_t mtu_bytes) {
  return write(
      link, [&](int index) { return encode_set_mtu(index, mtu_bytes); },
      [&] { return fmt::format("set mtu of '{}' to {}", link, mtu_bytes); });
}

Result<> LinuxNetlink::set_addr_gen_mode(const std::string& link, std::uint8_t mode) {
  return write(
      link, [&](int index) { return encode_set_addr_gen_mode(index, mode); },
      [&] { return fmt::format("set addr_gen_mode of '{}' to {}", link, mode); });
}

Result<> LinuxNetlink::add_address(const std::string& link, const AddressInfo& address) {
  return write(
      link, [&](int index) { return encode_add_address(index, address); },
      [&] { return fmt::format("add address '{}' to '{}'", address.address.text(), link); });
}

Result<> LinuxNetlink::remove_address(const std::string& link, const IpPrefix& address) {
  return write(
      link, [&](int index) { return encode_remove_address(index, address); },
      [&] { return fmt::format("remove address '{}' from '{}'", address.text(), link); });
}

Result<> LinuxNetlink::add_route(const std::string& link, const RouteInfo& route) {
  return write(
      link, [&](int index) { return encode_add_route(index, route); },
      [&] { return fmt::format("add route '{}' by '{}'", route.destination.text(), link); });
}

Result<> LinuxNetlink::remove_route(const std::string& link, const RouteInfo& route) {
  return write(
      link, [&](int index) { return encode_remove_route(index, route); },
      [&] { return fmt::format("remove route '{}' by '{}'", route.destination.text(), link); });
}

Result<> LinuxNetlink::watch() {
  if (events_) {
    // Cheaper than another socket: its buffer bounds what has to be taken.
    if (auto taken = events_->wait(std::chrono::milliseconds(0)); !taken) {
      return std::unexpected(taken.error());
    }
    return {};
  }
  auto opened = NetlinkEvents::open();
  if (!opened) return std::unexpected(opened.error());
  events_ = std::move(*opened);
  return {};
}

Result<bool> LinuxNetlink::wait_for_event(std::chrono::milliseconds deadline) {
  if (!events_) return fail(ErrorCode::kInvalid, "wait for an event: nothing is watched");
  return events_->wait(deadline);
}

}  // namespace spark::host
