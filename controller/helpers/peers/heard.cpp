#include "helpers/peers/heard.hpp"

#include <algorithm>

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

namespace {

constexpr std::size_t kMostEarlierBoots = 8;

/// All but what changes with each hello.
bool says_the_same(protocol::Hello one, const protocol::Hello& other) {
  one.sequence = other.sequence;
  return one == other;
}

}  // namespace

bool Heard::take(const std::string& link, const std::string& mac, const protocol::Hello& hello,
                 bool is_expected, Time now, bool has_key) {
  const std::tuple key{link, hello.node, hello.cage, hello.rail};
  auto found = entries_.find(key);
  if (found == entries_.end()) {
    const auto strangers = std::ranges::count_if(
        entries_, [](const auto& entry) { return !entry.second.is_expected; });
    if (!is_expected && static_cast<std::size_t>(strangers) >= kMostStrangers) return false;
    found = entries_.emplace(key, Entry{}).first;
  } else {
    auto& [heard, earlier, expected] = found->second;
    const bool same_boot = heard.hello.boot == hello.boot;
    // Who has been silent is believed again: a forged hello keeps the node's own out until then,
    // and not forever. With a key none is forged.
    const bool is_replay_known = has_key || !heard.is_silent;
    if (is_replay_known && (same_boot ? hello.sequence <= heard.hello.sequence
                                      : std::ranges::find(earlier, hello.boot) != earlier.end())) {
      return false;
    }
    if (!same_boot) {
      earlier.push_front(heard.hello.boot);
      if (earlier.size() > kMostEarlierBoots) earlier.pop_back();
    }
  }
  auto& entry = found->second;
  const bool is_news = entry.heard.link.empty() || entry.heard.is_silent ||
                       entry.heard.mac != mac || !says_the_same(entry.heard.hello, hello);
  const auto& before = entry.heard;
  const bool has_same_verdict = !before.link.empty() && !before.is_silent &&
                                before.hello.verdict == hello.verdict &&
                                before.hello.boot == hello.boot;
  entry.heard = {.link = link,
                 .mac = mac,
                 .hello = hello,
                 .heard_ms = now.count(),
                 .is_silent = false,
                 .since_ms = has_same_verdict ? before.since_ms : now.count()};
  entry.is_expected = is_expected;
  return is_news;
}

bool Heard::is_first_beside_another(const std::string& link, const protocol::Hello& hello) const {
  const auto own = entries_.find({link, hello.node, hello.cage, hello.rail});
  if (own == entries_.end()) return false;
  return std::ranges::any_of(entries_, [&](const auto& entry) {
    const auto& other = entry.second.heard;
    return other.link == link && other.hello.node != hello.node && !other.is_silent &&
           other.since_ms > own->second.heard.heard_ms;
  });
}

bool Heard::refuse(const std::string& link, const std::string& mac, const std::string& node,
                   protocol::KeyFault fault, Time now) {
  const std::pair key{link, node};
  auto found = refused_.find(key);
  if (found == refused_.end()) {
    if (refused_.size() >= kMostRefused) return false;
    found = refused_.emplace(key, protocol::RefusedHello{.link = link, .node = node}).first;
  }
  auto& entry = found->second;
  const bool is_news = entry.fault != fault && !is_heard(link, node);
  entry.mac = mac;
  entry.fault = fault;
  ++entry.count;
  entry.heard_ms = now.count();
  return is_news;
}

const protocol::RefusedHello* Heard::refused(const std::string& link,
                                             const std::string& node) const {
  const auto found = refused_.find({link, node});
  return found == refused_.end() || is_heard(link, node) ? nullptr : &found->second;
}

std::vector<protocol::RefusedHello> Heard::all_refused() const {
  std::vector<protocol::RefusedHello> all;
  for (const auto& [key, entry] : refused_) {
    if (!is_heard(key.first, key.second)) all.push_back(entry);
  }
  return all;
}

bool Heard::is_heard(const std::string& link, const std::string& node) const {
  return std::ranges::any_of(entries_, [&](const auto& entry) {
    const auto& heard = entry.second.heard;
    return heard.link == link && heard.hello.node == node && !heard.is_silent;
  });
}

bool Heard::mark_silent(Time now) {
  bool any = std::erase_if(refused_, [&](const auto& entry) {
               return now >= Time(entry.second.heard_ms) + kSilentAfter;
             }) > 0;
  for (auto& [key, entry] : entries_) {
    auto& heard = entry.heard;
    if (!heard.is_silent && now >= Time(heard.heard_ms) + kSilentAfter) {
      heard.is_silent = any = true;
    }
  }
  // A stranger that went leaves its place.
  std::erase_if(entries_, [](const auto& entry) {
    return entry.second.heard.is_silent && !entry.second.is_expected;
  });
  return any;
}

std::optional<Heard::Time> Heard::next_silence() const {
  std::optional<Time> next;
  for (const auto& [key, entry] : refused_) {
    const auto at = Time(entry.heard_ms) + kSilentAfter;
    next = next ? std::min(*next, at) : at;
  }
  for (const auto& [key, entry] : entries_) {
    if (entry.heard.is_silent) continue;
    const auto at = Time(entry.heard.heard_ms) + kSilentAfter;
    next = next ? std::min(*next, at) : at;
  }
  return next;
}

void Heard::keep_links(const std::vector<std::string>& links) {
  std::erase_if(entries_, [&](const auto& entry) {
    return std::ranges::find(links, std::get<0>(entry.first)) == links.end();
  });
  std::erase_if(refused_, [&](const auto& entry) {
    return std::ranges::find(links, entry.first.first) == links.end();
  });
}

const protocol::HeardHello* Heard::find(const std::string& link, const std::string& node,
                                        int rail) const {
  // A node has one cage on a cable; of two, the one that was heard last.
  const protocol::HeardHello* last = nullptr;
  for (const auto& [key, entry] : entries_) {
    const auto& heard = entry.heard;
    if (heard.link == link && heard.hello.node == node && heard.hello.rail == rail &&
        (last == nullptr || heard.heard_ms > last->heard_ms)) {
      last = &heard;
    }
  }
  return last;
}

const protocol::HeardHello* Heard::find_other(const std::string& link,
                                              const std::string& node) const {
  const protocol::HeardHello* last = nullptr;
  for (const auto& [key, entry] : entries_) {
    const auto& heard = entry.heard;
    if (heard.link == link && heard.hello.node != node && !heard.is_silent &&
        (last == nullptr || heard.heard_ms > last->heard_ms)) {
      last = &heard;
    }
  }
  return last;
}

std::vector<protocol::HeardHello> Heard::all() const {
  std::vector<protocol::HeardHello> all;
  all.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) all.push_back(entry.heard);
  return all;
}

std::vector<protocol::PassedOn> passed_on(const Heard& heard, const protocol::PeersOrder& order) {
  std::map<std::string, protocol::PassedOn> by_node;
  for (const auto& peer : order.peers) {
    if (peer.on_switch) continue;
    const auto* found = heard.find(peer.link, peer.node, peer.rail);
    if (found == nullptr) continue;
    const auto& hello = found->hello;
    protocol::PassedOn passed{.node = peer.node,
                              .boot = hello.boot,
                              .file = hello.file,
                              .candidate = hello.candidate,
                              .verdict = hello.verdict,
                              .is_silent = found->is_silent};
    // Of two rails, one that it is heard on.
    const auto known = by_node.find(peer.node);
    if (known == by_node.end()) {
      if (by_node.size() < protocol::kMostPassedOn) by_node.emplace(peer.node, std::move(passed));
    } else if (known->second.is_silent) {
      known->second = std::move(passed);
    }
  }
  std::vector<protocol::PassedOn> all;
  all.reserve(by_node.size());
  for (auto& [node, passed] : by_node) all.push_back(std::move(passed));
  return all;
}

}  // namespace spark::helpers
