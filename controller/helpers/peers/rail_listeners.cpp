#include "helpers/peers/rail_listeners.hpp"

#include <utility>

#include <net/if.h>

#include "helpers/peers/rail_sockets.hpp"

namespace spark::helpers {

std::vector<std::string> RailListeners::update(const protocol::PeersOrder& order) {
  std::map<std::string, UniqueFd> listeners;
  std::map<std::string, unsigned> indexes;
  std::vector<std::string> failed;
  if (order.enabled) {
    for (const auto& peer : order.peers) {
      const auto index = if_nametoindex(peer.link.c_str());
      if (index == 0 || listeners.contains(peer.link)) continue;
      const auto known = listeners_.find(peer.link);
      // A link of that name that came again is another one.
      if (known != listeners_.end() && indexes_[peer.link] == index) {
        listeners.emplace(peer.link, std::move(known->second));
      } else if (auto listener = listen_on(peer.link)) {
        listeners.emplace(peer.link, std::move(*listener));
      } else {
        failed.push_back(listener.error().what);
        continue;
      }
      indexes[peer.link] = index;
    }
  }
  listeners_ = std::move(listeners);
  indexes_ = std::move(indexes);
  return failed;
}

}  // namespace spark::helpers
