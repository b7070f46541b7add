#include "daemon/reconcile/seen_links.hpp"

namespace spark::daemon {
namespace {

constexpr std::chrono::seconds kSettlesWithin{5};

}  // namespace

void SeenLinks::note(const config::Node& node, host::View& view, const Moment& now) {
  for (const auto& [name, wanted] : node.links) {
    const auto* link = view.link(name);
    const auto [entry, is_first] = links_.try_emplace(name);
    auto& seen = entry->second;
    const int index = link == nullptr ? 0 : link->index;
    const bool carrier = link != nullptr && link->carrier;
    if (!is_first && index != seen.index) seen.came = now.boot;
    if (!is_first && carrier != seen.carrier) seen.changed = now.boot;
    seen.index = index;
    seen.carrier = carrier;
  }
}

Occasion SeenLinks::occasion(const std::string& link, const Moment& now) const {
  const auto seen = links_.find(link);
  if (seen == links_.end()) {
    return Occasion::kWriter;
  }
  const auto is_recent = [&](std::chrono::milliseconds at) {
    return at.count() != 0 && now.boot - at <= kSettlesWithin;
  };
  return is_recent(seen->second.came)      ? Occasion::kDevice
         : is_recent(seen->second.changed) ? Occasion::kCarrier
                                           : Occasion::kWriter;
}

}  // namespace spark::daemon
