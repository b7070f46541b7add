#pragma once
// CablingMemory: what the looks at the gate found out about the other ends of the cables, and whom
// they have asked. A cable cannot change its other end without a loss of the carrier, so what is
// known holds until then, and nobody is asked twice.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "gate/common/facts.hpp"
#include "host/netlink.hpp"

namespace spark::gate {

/// A question that is asked from 0.0.0.0, once in a while only.
struct RareQuestion {
  bool is_asked = false;                              ///< since the carrier came, or a new file
  std::optional<std::chrono::milliseconds> asked_at;  ///< by the boot clock
  std::vector<IpAddress> answered;  ///< addresses that somebody answered for, to be asked again
};

/// Of one rail.
struct RailMemory {
  int link_index = 0;
  std::uint32_t carrier_downs = 0;
  std::vector<IpAddress> peers;        ///< as the file has them
  std::string digest;                  ///< of the file
  std::chrono::milliseconds since{0};  ///< when the carrier was first seen, by the boot clock
  Cabling cabling;
  std::string why;         ///< it is not proven though somebody answered; empty: nobody did
  bool are_asked = false;  ///< the peers
  RareQuestion others;     ///< the other ends of the file
  RareQuestion own;        ///< our own address
  std::optional<std::string> second_host;  ///< that has our address; "": there is none
};

class CablingMemory {
 public:
  /// A look begins.
  void begin(std::chrono::milliseconds boot) {
    now_ = boot;
    look_again_at_.reset();
  }
  /// What is known of the rail, as far as it still holds.
  RailMemory& of(const host::LinkInfo& link, const IpAddress& own,
                 const std::vector<IpAddress>& peers, const std::string& digest);

  [[nodiscard]] std::chrono::milliseconds now() const { return now_; }
  void look_again_at(std::chrono::milliseconds boot);
  /// Until somebody may be asked; empty: nobody is left to be asked.
  [[nodiscard]] std::optional<std::chrono::milliseconds> again_in() const;

 private:
  std::map<std::pair<std::string, IpAddress>, RailMemory> rails_;  ///< by link and own address
  std::chrono::milliseconds now_{0};
  std::optional<std::chrono::milliseconds> look_again_at_;
};

}  // namespace spark::gate
