#include "daemon/reconcile/drift_tracker.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::daemon {
namespace {

using std::chrono::milliseconds;

milliseconds doubled(milliseconds last, milliseconds first, milliseconds longest) {
  return last.count() == 0 ? first : std::min(2 * last, longest);
}

constexpr std::chrono::seconds kSettlesWithin{5};

/// Counts one more, and no longer those from before the window.
void count(std::deque<milliseconds>& times, const Moment& now, milliseconds window) {
  times.push_back(now.boot);
  while (times.front() + window < now.boot) times.pop_front();
}

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
  if (seen == links_.end()) return Occasion::kWriter;
  const auto is_recent = [&](std::chrono::milliseconds at) {
    return at.count() != 0 && now.boot - at <= kSettlesWithin;
  };
  return is_recent(seen->second.came)      ? Occasion::kDevice
         : is_recent(seen->second.changed) ? Occasion::kCarrier
                                           : Occasion::kWriter;
}

bool DriftTracker::is_held(const std::string& resource, const Moment& now) const {
  const auto found = resources_.find(resource);
  return found != resources_.end() && now.boot < found->second.held_until;
}

DriftTracker::Resource& DriftTracker::update(const plan::Step& step, const std::string& line,
                                             const Moment& now) {
  auto& resource = resources_[step.name()];
  resource.key = {.kind = std::string(step.kind), .key = step.key, .on = step.on};
  if (!resource.drift) {
    resource.drift =
        Drift{.kind = std::string(step.kind), .key = step.key, .since = now, .on = step.on};
  }
  resource.drift->have = step.before;
  resource.drift->want = step.after;
  resource.drift->line = line;
  return resource;
}

void DriftTracker::differs(const plan::Step& step, const std::string& line, const Moment& now,
                           bool due) {
  update(step, line, now).drift->due = due;
}

void DriftTracker::corrected(const plan::Step& step, const std::string& line,
                             const std::string& writer, Occasion occasion, const Moment& now) {
  auto& resource = update(step, line, now);
  resource.retry = milliseconds(0);
  if (occasion == Occasion::kDevice) {
    resource.drift.reset();
    return;
  }
  const bool by_carrier = occasion == Occasion::kCarrier;
  auto& corrected = by_carrier ? resource.after_carrier : resource.corrected;
  count(corrected, now, pace_.window);
  if (corrected.size() == 1) {
    resource.conflict.reset();  // of an older contest
    resource.writer.clear();
  }
  if (!writer.empty()) resource.writer = writer;
  if (corrected.size() >= (by_carrier ? pace_.after_carrier : pace_.corrections)) {
    contest(resource, corrected.size(), now);
  } else {
    resource.drift.reset();
  }
}

void DriftTracker::contest(Resource& resource, std::size_t corrections, const Moment& now) {
  resource.hold = doubled(resource.hold, pace_.first_hold, pace_.longest_hold);
  resource.held_until = now.boot + resource.hold;
  auto& drift = *resource.drift;
  drift.state = Drift::State::kContested;
  drift.held_until = later(now, resource.hold);
  resource.why = fmt::format(
      "corrected {} times within {} minutes and changed again{}", corrections,
      std::chrono::duration_cast<std::chrono::minutes>(pace_.window).count(), resource.writer);
  drift.why = resource.why;
  resource.corrected.clear();
  resource.after_carrier.clear();
}

void DriftTracker::name_conflicts(
    const std::function<std::optional<ConflictingSetting>(const plan::ResourceKey&)>& find) {
  for (auto& [name, resource] : resources_) {
    auto& drift = resource.drift;
    const bool fought = drift && drift->state != Drift::State::kDiffers;
    // The first correction is no contest, and not to be held up by reading files.
    if (!fought && resource.corrected.size() < 2) continue;
    if (auto conflict = find(resource.key)) resource.conflict = std::move(conflict);
    if (fought && resource.conflict) {
      drift->why = fmt::format("{}; {}", resource.why, resource.conflict->what);
      drift->remedy = resource.conflict->remedy;
    }
  }
}

void DriftTracker::failed(const plan::Step& step, const std::string& line, const std::string& why,
                          const Moment& now) {
  auto& resource = update(step, line, now);
  resource.retry = doubled(resource.retry, pace_.first_retry, pace_.longest_retry);
  resource.held_until = now.boot + resource.retry;
  resource.drift->state = Drift::State::kFailed;
  resource.drift->held_until = later(now, resource.retry);
  resource.drift->why = resource.why = why;
}

void DriftTracker::end_pass(const std::set<std::string>& differing, const Moment& now) {
  for (auto& [name, resource] : resources_) {
    auto& drift = resource.drift;
    const bool right = !differing.contains(name);
    if (drift && right) {
      drift->have = drift->want;
      const bool fought =
          drift->state == Drift::State::kContested && now.boot < resource.held_until;
      if (!fought) drift.reset();
    }
    if (!drift && right) {
      resource.retry = milliseconds(0);
      // Calm for as long as it takes to see a contest: the next one starts with the first hold.
      if (resource.held_until + pace_.window < now.boot) resource.hold = milliseconds(0);
    }
  }
  std::erase_if(resources_, [&](const auto& entry) {
    const auto& resource = entry.second;
    const auto is_over = [&](const std::deque<milliseconds>& times) {
      return times.empty() || times.back() + pace_.window < now.boot;
    };
    return !resource.drift && resource.hold.count() == 0 && is_over(resource.corrected) &&
           is_over(resource.after_carrier);
  });
}

std::vector<Drift> DriftTracker::open() const {
  std::vector<Drift> open;
  for (const auto& [name, resource] : resources_) {
    if (resource.drift) open.push_back(*resource.drift);
  }
  return open;
}

std::optional<milliseconds> DriftTracker::next_due() const {
  std::optional<milliseconds> due;
  for (const auto& [name, resource] : resources_) {
    if (resource.drift && resource.held_until.count() > 0) {
      due = due ? std::min(*due, resource.held_until) : resource.held_until;
    }
  }
  return due;
}

}  // namespace spark::daemon
