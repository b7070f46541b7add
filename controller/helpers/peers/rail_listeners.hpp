#pragma once
// RailListeners: listens on the rails over which a peer is expected, and nowhere else.

#include <map>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

class RailListeners {
 public:
  /// Listens where one of `order`'s peers is expected, and no longer elsewhere. Why it could not,
  /// a text for each rail; a link that is not there is tried with the next order.
  std::vector<std::string> update(const protocol::PeersOrder& order);

  /// By link.
  [[nodiscard]] const std::map<std::string, UniqueFd>& all() const { return listeners_; }

 private:
  std::map<std::string, UniqueFd> listeners_;
  std::map<std::string, unsigned> indexes_;  ///< ifindex
};

}  // namespace spark::helpers
