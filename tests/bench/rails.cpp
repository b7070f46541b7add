#include "bench/rails.hpp"

#include <algorithm>
#include <chrono>

#include <linux/rtnetlink.h>

#include "base/ip.hpp"
#include "bench/process.hpp"
#include "host/linux/netlink/decode.hpp"

namespace spark::bench {
namespace {

template <class T>
T value_of(Result<T> result) {
  if (!result) {
    give_up(result.error().what);
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

}  // namespace

Rails::Rails() {
  static_cast<void>(value_of(netlink_.links()));
}  // its socket is of this namespace

void Rails::damage(const RailAddress& rail, Damage what) {
  if (what == Damage::kAddressDeleted) {
    value_of(netlink_.remove_address(rail.rail, *IpPrefix::parse(rail.address)));
  } else {
    set_mtu(rail, kOtherMtu);
  }
}

double Rails::seconds_until_back(const RailAddress& rail, Damage what) {
  using Clock = std::chrono::steady_clock;
  const auto prefix = *IpPrefix::parse(rail.address);
  events_.take();
  damage(rail, what);
  const auto done = Clock::now();
  const auto back = events_.wait_for([&](const nlmsghdr& message) {
    if (what == Damage::kAddressDeleted && message.nlmsg_type == RTM_NEWADDR) {
      const auto address = host::decode_address(message);
      return address && *address && (*address)->address == prefix;
    }
    if (what == Damage::kMtuChanged && message.nlmsg_type == RTM_NEWLINK) {
      const auto link = host::decode_link(message);
      return link && link->name == rail.rail && link->mtu == kMtu;
    }
    return false;
  });
  return std::chrono::duration<double>(back - done).count();
}

void Rails::set_mtu(const RailAddress& rail, std::uint32_t mtu_bytes) {
  value_of(netlink_.set_mtu(rail.rail, mtu_bytes));
}

std::uint32_t Rails::mtu(const RailAddress& rail) {
  const auto links = value_of(netlink_.links());
  const auto link = std::ranges::find(links, rail.rail, &host::LinkInfo::name);
  if (link == links.end()) {
    give_up(rail.rail + " is gone");
  }
  return link->mtu;
}

}  // namespace spark::bench
