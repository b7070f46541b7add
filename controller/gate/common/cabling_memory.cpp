#include "gate/common/cabling_memory.hpp"

#include <algorithm>

namespace spark::gate {

void RareQuestion::note(std::chrono::milliseconds now, std::vector<IpAddress> again) {
  if (!is_asked) {
    if (begun.size() == CablingMemory::kMostInWindow) begun.erase(begun.begin());
    begun.push_back(now);
  }
  is_asked = true;
  asked_at = now;
  answered = std::move(again);
}

void RareQuestion::forget() {
  is_asked = false;
  answered.clear();
}

RailMemory& CablingMemory::of(const host::LinkInfo& link, const IpAddress& own,
                              std::chrono::milliseconds age, const std::vector<IpAddress>& peers,
                              const std::string& digest) {
  const auto [place, is_new] = rails_.try_emplace({link.name, own});
  auto& rail = place->second;
  const bool same_carrier =
      !is_new && rail.link_index == link.index && rail.carrier_downs == link.carrier_downs;
  if (!same_carrier) rail.since = looks_ > 1 ? now_ : now_ - age;
  const bool same_cable = same_carrier && rail.peers == peers;
  // A new file is a reason to ask about what is not proven, and about no other cable.
  if (!same_cable || (rail.digest != digest && rail.cabling.state != CablingState::kProven)) {
    rail.cabling = {};
    rail.why.clear();
    rail.are_asked = false;
    rail.others.forget();
  }
  if (!same_carrier) {
    rail.own.forget();
    rail.answering.clear();
    rail.second_host.reset();
  }
  rail.link_index = link.index;
  rail.carrier_downs = link.carrier_downs;
  rail.peers = peers;
  rail.digest = digest;
  return rail;
}

void CablingMemory::look_again_at(std::chrono::milliseconds boot) {
  look_again_at_ = look_again_at_ ? std::min(*look_again_at_, boot) : boot;
}

std::optional<std::chrono::milliseconds> CablingMemory::again_in() const {
  if (!look_again_at_) return std::nullopt;
  return std::max(*look_again_at_ - now_, std::chrono::milliseconds(0));
}

}  // namespace spark::gate
