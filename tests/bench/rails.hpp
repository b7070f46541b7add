#pragma once
// Rails: the rails of the ring's spark1 in the network namespace where this was made: somebody
// changes them there, and hears when they are as before.

#include <cstdint>

#include "bench/cluster_text.hpp"
#include "bench/events.hpp"
#include "host/linux/netlink/linux_netlink.hpp"

namespace spark::bench {

enum class Damage : std::uint8_t { kAddressDeleted, kMtuChanged };

class Rails {
 public:
  /// The MTU that the ring's file asks for, and another.
  static constexpr std::uint32_t kMtu = 9000;
  static constexpr std::uint32_t kOtherMtu = 1500;

  Rails();

  void damage(const RailAddress& rail, Damage what);
  /// Seconds from when our request is done until the kernel tells that what was there is back.
  double seconds_until_back(const RailAddress& rail, Damage what);
  void set_mtu(const RailAddress& rail, std::uint32_t mtu_bytes);
  std::uint32_t mtu(const RailAddress& rail);

 private:
  host::LinuxNetlink netlink_;
  Events events_;
};

}  // namespace spark::bench
