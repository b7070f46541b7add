#include "host/view.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace spark {
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
  if (!table) {
    table = look<T>(host, what, read);
  }
  return *table;
}

template <class Key, class T, class Read>
const Result<T>& once(Host* host, std::map<Key, Result<T>>& table, const Key& key,
                      std::string_view what, Read read) {
  const auto known = table.find(key);
  return known != table.end() ? known->second
                              : table.emplace(key, look<T>(host, what, read)).first->second;
}

const LinkInfo* find_link(const Result<std::vector<LinkInfo>>& links, auto matches) {
  if (!links) {
    return nullptr;
  }
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

const Result<RouteInfo>& View::route_to(const IpAddress& destination) {
  return once(host_, route_to_, destination, "route to " + destination.text(),
              [&](Host& host) { return host.netlink.route_to(destination); });
}

const Result<SysctlValue>& View::sysctl(const std::string& key) {
  return once(host_, sysctl_, key, key, [&](Host& host) { return host.sysctl.read(key); });
}

const Result<std::optional<std::string>>& View::file(const std::string& path) {
  return once(host_, file_, path, path, [&](Host& host) { return host.files.read(path); });
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
              [](Host& host) { return host.system.ssh_addresses(); });
}

const LinkInfo* View::link(const std::string& name) {
  return find_link(links(), [&](const LinkInfo& link) {
    return link.name == name || std::ranges::find(link.altnames, name) != link.altnames.end();
  });
}

const LinkInfo* View::link(int index) {
  return find_link(links(), [&](const LinkInfo& link) { return link.index == index; });
}

}  // namespace spark
