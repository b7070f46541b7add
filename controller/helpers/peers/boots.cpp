#include "helpers/peers/boots.hpp"

#include <algorithm>

#include "helpers/peers/heard.hpp"

namespace spark::helpers {

bool Boots::knows(const protocol::HeardHello& heard) {
  const auto& boot = heard.hello.boot;
  const auto& [now, wrong] = nodes_[heard.hello.node];
  if (!now.empty() && boot == now) return true;
  if (std::ranges::find(wrong, boot) != wrong.end()) return false;
  const auto [waiting, is_new] =
      waiting_.try_emplace({heard.link, heard.hello.node}, Waiting{.heard = heard});
  if (!is_new) {
    // The answer that is under way says nothing of a boot that began since.
    waiting->second.was_asked =
        waiting->second.was_asked && boot == waiting->second.heard.hello.boot;
    waiting->second.heard = heard;
  }
  return false;
}

bool Boots::is_waiting(const std::string& link, const std::string& node) const {
  return waiting_.contains({link, node});
}

void Boots::asked(const std::string& node) {
  for (auto& [place, waiting] : waiting_) {
    if (place.second == node) waiting.was_asked = true;
  }
}

std::vector<protocol::HeardHello> Boots::answered(const std::string& node,
                                                  const std::string& boot) {
  auto& [now, wrong] = nodes_[node];
  now = boot;
  std::erase(wrong, boot);
  std::vector<protocol::HeardHello> right;
  std::erase_if(waiting_, [&](const auto& entry) {
    const auto& [place, waiting] = entry;
    if (place.second != node) return false;
    const auto& heard = waiting.heard;
    if (heard.hello.boot == boot) {
      right.push_back(heard);
      return true;
    }
    if (!waiting.was_asked) return false;
    wrong.push_front(heard.hello.boot);
    if (wrong.size() > kMostWrong) wrong.pop_back();
    return true;
  });
  return right;
}

void Boots::forget_silent(Time now) {
  std::erase_if(waiting_, [&](const auto& entry) {
    return now >= Time(entry.second.heard.heard_ms) + kSilentAfter;
  });
}

}  // namespace spark::helpers
