#include "helpers/web/wrong_tries.hpp"

#include <algorithm>
#include <cstdint>

namespace spark::helpers {

IpPrefix WrongTries::place_of(const IpAddress& from) const {
  constexpr std::uint8_t kNetworkBits = 64;
  if (from.is_v4() || std::ranges::find(known_, from) != known_.end()) return {from, from.bits()};
  return IpPrefix{from, kNetworkBits}.network();
}

std::chrono::seconds WrongTries::wait(const IpAddress& from, Clock::time_point now) const {
  const auto found = tries_.find(place_of(from));
  if (found == tries_.end() || found->second.count < kMost) return {};
  const auto& tries = found->second;
  const auto left = tries.at.at(tries.count % kMost) + kWithin - now;
  return std::max(std::chrono::ceil<std::chrono::seconds>(left), std::chrono::seconds(0));
}

void WrongTries::was_wrong(const IpAddress& from, Clock::time_point now) {
  const auto place = place_of(from);
  if (!tries_.contains(place)) make_room(now);
  auto& tries = tries_[place];
  tries.at.at(tries.count % kMost) = now;
  ++tries.count;
}

void WrongTries::was_right(const IpAddress& from) {
  if (from.is_v4()) return;
  std::erase(known_, from);
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  known_.push_back(from);
}

void WrongTries::make_room(Clock::time_point now) {
  if (tries_.size() < kMostPlaces) return;
  std::erase_if(tries_, [&](const auto& one) { return now - one.second.last() >= kWithin; });
  if (tries_.size() < kMostPlaces) return;
  tries_.erase(
      std::ranges::min_element(tries_, {}, [](const auto& one) { return one.second.last(); }));
}

}  // namespace spark::helpers
