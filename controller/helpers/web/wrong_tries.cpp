#include "helpers/web/wrong_tries.hpp"

#include <algorithm>
#include <cstdint>

namespace spark::helpers {
namespace {

using Clock = WrongTries::Clock;

/// Makes room for one more. What is a minute old counts no more, and goes first.
template <class Places>
void make_room(Places& places, Clock::time_point now) {
  if (places.size() < WrongTries::kMostPlaces) return;
  std::erase_if(places,
                [&](const auto& one) { return now - one.second.last() >= WrongTries::kWithin; });
  if (places.size() < WrongTries::kMostPlaces) return;
  places.erase(
      std::ranges::min_element(places, {}, [](const auto& one) { return one.second.last(); }));
}

std::chrono::seconds until(Clock::time_point end, Clock::time_point now) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(end - now), std::chrono::seconds(0));
}

}  // namespace

std::optional<IpPrefix> WrongTries::network_of(const IpAddress& from) const {
  constexpr std::uint8_t kNetworkBits = 64;
  if (from.is_v4() || std::ranges::find(known_, from) != known_.end()) return std::nullopt;
  return IpPrefix{from, kNetworkBits}.network();
}

std::chrono::seconds WrongTries::wait(const IpAddress& from, Clock::time_point now) const {
  std::chrono::seconds left{0};
  const auto found = tries_.find(from);
  if (found != tries_.end() && found->second.count >= kMost) {
    const auto& tries = found->second;
    left = until(tries.at.at(tries.count % kMost) + kWithin, now);
  }
  const auto place = network_of(from);
  const auto network = place ? networks_.find(*place) : networks_.end();
  if (network != networks_.end() && network->second.count >= kMostOfNetwork) {
    left = std::max(left, until(network->second.begin + kWithin, now));
  }
  return left;
}

void WrongTries::was_wrong(const IpAddress& from, Clock::time_point now) {
  if (!tries_.contains(from)) make_room(tries_, now);
  auto& tries = tries_[from];
  tries.at.at(tries.count % kMost) = now;
  ++tries.count;
  const auto place = network_of(from);
  if (!place) return;
  if (!networks_.contains(*place)) make_room(networks_, now);
  auto& network = networks_[*place];
  if (network.count == 0 || now - network.begin >= kWithin) network = {.begin = now, .count = 0};
  ++network.count;
}

void WrongTries::was_right(const IpAddress& from) {
  if (from.is_v4()) return;
  std::erase(known_, from);
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  known_.push_back(from);
}

}  // namespace spark::helpers
