#pragma once
// EthtoolFec: forward error correction of a link, and the blocks that it could not correct, by
// ethtool's generic netlink (ETHTOOL_MSG_FEC_GET, since Linux 5.13; `ethtool -I --show-fec`).

#include <cstdint>
#include <optional>
#include <string>

#include <linux/netlink.h>

#include "base/result.hpp"
#include "host/linux/netlink/request.hpp"
#include "host/linux/netlink/socket.hpp"

namespace spark::host {

struct FecState {
  std::string active;  ///< "off", "BASER", "RS", "LLRS"; empty: the driver does not say
  std::optional<std::uint64_t> uncorrectable;  ///< blocks; empty: the driver counts none
  bool operator==(const FecState&) const = default;
};

class EthtoolFec {
 public:
  /// Empty: the driver of that link, or this kernel, knows nothing of FEC.
  std::optional<FecState> read(const std::string& link);

 private:
  bool is_open();

  std::optional<NetlinkSocket> socket_;
  int family_ = 0;  ///< number of "ethtool" here; 0: not asked, -1: there is none
};

/// Asks for the number of a family of generic netlink.
NetlinkRequest encode_get_family(const std::string& name);
/// Empty: the message says no number.
std::optional<int> decode_family(const nlmsghdr& message);
NetlinkRequest encode_get_fec(int family, const std::string& link);
/// Errors: kInvalid, saying what is malformed.
Result<FecState> decode_fec(const nlmsghdr& message);

}  // namespace spark::host
