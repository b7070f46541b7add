#pragma once
// CablingMemory: what the looks at the gate found out about the other ends of the cables, and whom
// they have asked. A cable cannot change its other end without a loss of the carrier, so what is
// known holds until then, and nobody is asked twice.

#include <chrono>
#include <cstddef>
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
  bool is_asked = false;  ///< since there was a reason to ask: a carrier, a new file, a silence
  std::optional<std::chrono::milliseconds> asked_at;  ///< by the boot clock
  std::vector<std::chrono::milliseconds> begun;  ///< when the last few first questions were asked
  std::vector<IpAddress> answered;  ///< addresses that somebody answered for, to be asked again

  /// Asked, and there was no reason to ask again since.
  [[nodiscard]] bool is_settled() const { return is_asked && answered.empty(); }
  /// It was asked now: `again` are the addresses to ask for a second time.
  void note(std::chrono::milliseconds now, std::vector<IpAddress> again);
  /// There is a reason to ask again. The limit on such questions outlives what was known.
  void forget();
};

/// Of one rail.
struct RailMemory {
  int link_index = 0;
  std::uint32_t carrier_downs = 0;
  std::vector<IpAddress> peers;  ///< as the file has them
  std::string digest;            ///< of the file
  /// By the boot clock: when the carrier was first seen. Of one that was there at the first look:
  /// when the address came, which is all that the kernel knows of before.
  std::chrono::milliseconds since{0};
  Cabling cabling;
  std::string why;         ///< it is not proven though somebody answered; empty: nobody did
  bool are_asked = false;  ///< the peers
  std::vector<IpAddress> answering;  ///< whose echoes came back when it was looked last
  RareQuestion others;               ///< the other ends of the file
  RareQuestion own;                  ///< our own address
  /// Hardware addresses of who has our address too; without any, nobody has.
  std::optional<std::vector<std::string>> second_host;
};

class CablingMemory {
 public:
  /// So often within kRareWindow is one rail asked a question from 0.0.0.0: who moves a cable by
  /// hand sees its name soon, and a carrier that comes and goes all the time asks no more.
  static constexpr std::size_t kMostInWindow = 3;
  static constexpr std::chrono::seconds kRareWindow{300};

  /// A look begins.
  void begin(std::chrono::milliseconds boot) {
    ++looks_;
    now_ = boot;
    look_again_at_.reset();
  }
  /// What is known of the rail, as far as it still holds. `age`: for how long it has had its own
  /// address.
  RailMemory& of(const host::LinkInfo& link, const IpAddress& own, std::chrono::milliseconds age,
                 const std::vector<IpAddress>& peers, const std::string& digest);

  [[nodiscard]] std::chrono::milliseconds now() const { return now_; }
  void look_again_at(std::chrono::milliseconds boot);
  /// Until somebody may be asked; empty: nobody is left to be asked.
  [[nodiscard]] std::optional<std::chrono::milliseconds> again_in() const;

 private:
  std::map<std::pair<std::string, IpAddress>, RailMemory> rails_;  ///< by link and own address
  std::size_t looks_ = 0;
  std::chrono::milliseconds now_{0};
  std::optional<std::chrono::milliseconds> look_again_at_;
};

}  // namespace spark::gate
