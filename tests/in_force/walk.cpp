// Every order of events, to the fixed point: a machine on which one daemon follows one place and
// people apply, roll back, confirm and kill. Between any two writes and effects the process may
// end, and each write may fail once. What is judged is `state::step`, the function that daemon and
// verbs call.

#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "state/in_force.hpp"

namespace {

using namespace spark::state;  // NOLINT: one file, one subject

constexpr std::size_t kMostBad = 2;
/// In capitals, which nothing else in a key has.
const std::vector<std::string> kFiles{"A", "B", "C"};

/// Of the look with that file applied; `said` tells looks apart.
FactsSeen seen_with(const std::string& file, const std::string& said) {
  return {.held = {{.id = file, .link = {}, .subject = {}}},
          .failed = {{.id = said, .link = {}, .subject = {}}}};
}

/// Where a daemon is between two writes.
enum class Stage : std::uint8_t {
  kIdle,
  kTrying,   ///< the attempt is on disk, the host is as before
  kApplied,  ///< the host is as the candidate says, and the record does not know
  kGoBack,   ///< the good file is applied again, and the record does not know
};

struct World {
  InForce disk;
  InForce mind;         ///< the daemon's
  std::string host;     ///< the file that is applied; empty: none of them
  std::string refused;  ///< the file of the source, where it is
  std::string judged;   ///< the file on trial and its trend, as the last look at it was
  std::string source;
  std::string offered;  ///< by a node to all; it is followed in place of the source
  bool is_git = true;
  std::chrono::milliseconds settle{1};
  bool is_clean = false;  ///< nothing of another attempt stood there when this one began
  Stage stage = Stage::kIdle;
  Effect due = Effect::kNone;

  /// The same for two worlds that differ in the names of their files alone. The record on disk is
  /// that of `mind`: wrong() sees to it.
  [[nodiscard]] std::string key() const {
    std::string key = mind.good + "," + (mind.trial ? mind.trial->digest : "") + ",";
    if (mind.trial) key += std::to_string(mind.trial->settle.count()) + mind.trial->offer;
    if (mind.unconfirmed) key += mind.unconfirmed->digest + mind.unconfirmed->id;
    key += "," + mind.attempt + (mind.returns ? ",r," : ",");
    for (const auto& bad : mind.bad) key += bad.digest + bad.by;
    if (mind.seen) key += "<" + mind.seen->held.front().id + mind.seen->failed.front().id + ">";
    key += ",";
    if (mind.candidate) {
      key += mind.candidate->digest + (mind.candidate->settle ? "t" : "") + mind.candidate->offer;
    }
    key += mind.is_held ? "h" : "";
    key += mind.has_begun_here ? "b" : "";
    key += std::to_string(static_cast<int>(mind.trend));
    for (const auto* text : {&host, &refused, &judged, &source, &offered}) key += "," + *text;
    key += is_git ? "g" : "";
    key += std::to_string(settle.count());
    key += is_clean ? "c" : "";
    key += std::to_string(static_cast<int>(stage)) + std::to_string(static_cast<int>(due));
    std::string names;
    for (auto& c : key) {
      if (c < 'A' || c > 'Z') continue;
      if (!names.contains(c)) names += c;
      c = static_cast<char>('A' + names.find(c));
    }
    return key;
  }
};

/// What a process that starts has.
InForce as_on_disk(const InForce& disk) { return step(disk, events::Restarted{}, kMostBad).first; }

/// The one way of the daemon: nothing is believed that could not be written.
void tell(World& world, const InForceEvent& event, bool write_fails = false) {
  auto [next, effect] = step(world.mind, event, kMostBad);
  if (!is_same_record(next, world.disk)) {
    if (write_fails) return;
    world.disk = as_on_disk(next);
  }
  world.mind = std::move(next);
  world.due = effect;
}

constexpr const char* kOffer = "o";

InForceEvent offered(const World& world) {
  if (!world.offered.empty())
    return events::Offered{{world.offered, std::chrono::milliseconds(0), kOffer}};
  if (world.source.empty() || world.source == world.refused) return events::Withdrawn{};
  return events::Offered{
      {world.source, world.is_git ? std::optional(world.settle) : std::nullopt, {}}};
}

constexpr const char* kSomebody = "alice";
constexpr const char* kWhy = "fails";
constexpr const char* kAt = "now";

BadFile bad_file(const std::string& digest, const std::string& by = {}) {
  return {.digest = digest, .why = kWhy, .at = kAt, .by = by};
}

/// Another process has written the record, under the lock: the daemon goes on from there.
void adopt(World& world) {
  world.judged.clear();
  const auto held = world.mind.is_held;
  world.mind = as_on_disk(world.disk);
  world.stage = Stage::kIdle;
  tell(world, held ? InForceEvent(events::Held{}) : InForceEvent(events::Freed{}));
  tell(world, offered(world));
}

void by_hand(World& world, const InForceEvent& event, std::string host) {
  world.host = std::move(host);
  world.disk = as_on_disk(step(world.disk, event, kMostBad).first);
  adopt(world);
}

/// What all keep becomes the file of this machine, and where they do not, that one is followed
/// again. False: it could not be written.
bool decided(World& world, bool keep, bool write_fails = false) {
  const auto file = world.offered;
  const auto bad = keep ? std::nullopt : std::optional(bad_file(file, kSomebody));
  const auto was = world.mind;
  tell(world, events::Decided{kOffer, bad, seen_with(file, "1")}, write_fails);
  if (write_fails && world.mind == was) return false;
  world.offered.clear();
  world.judged.clear();
  if (keep) world.source = file;
  if (keep) world.refused.clear();
  tell(world, offered(world));
  return true;
}

void restart(World& world) {
  world.judged.clear();
  world.refused.clear();
  world.is_clean = false;
  world.mind = as_on_disk(world.disk);
  world.stage = Stage::kIdle;
  world.due = Effect::kNone;
  tell(world, offered(world));
}

/// What a pass corrects.
void correct(World& world) {
  if (world.stage == Stage::kIdle && world.mind.attempt.empty() && !world.mind.is_held &&
      !world.mind.unconfirmed && !world.mind.digest().empty())
    world.host = world.mind.digest();
}

struct Action {
  std::string name;
  std::function<bool(World&)> act;  ///< false: it cannot happen here
};

std::vector<Action> actions() {
  std::vector<Action> all;
  const auto add = [&](std::string name, std::function<bool(World&)> act) {
    all.push_back({std::move(name), std::move(act)});
  };
  const auto idle = [](const World& world) { return world.stage == Stage::kIdle; };
  for (const auto& file : kFiles) {
    add("the source has " + file, [=](World& world) {
      if (!idle(world) || world.source == file) return false;
      world.source = file;
      world.refused.clear();
      tell(world, offered(world));
      return true;
    });
    add("all nodes are offered " + file, [=](World& world) {
      const auto& mind = world.mind;
      if (!idle(world) || !world.offered.empty() || world.is_git || mind.good.empty() ||
          mind.trial || mind.unconfirmed || !mind.attempt.empty() || mind.returns)
        return false;
      world.offered = file;
      tell(world, offered(world));
      return true;
    });
    // Also where one waits whose journal is lost.
    add("apply " + file + " by hand", [=](World& world) {
      if (!idle(world)) return false;
      by_hand(world, events::Applied{.digest = file, .settle = {}, .rejects = {}}, file);
      return true;
    });
    // Also where one waits whose journal is lost.
    add("apply " + file + " --confirm", [=](World& world) {
      if (!idle(world)) return false;
      const auto& waits = world.disk.unconfirmed;
      by_hand(world, events::Unconfirmed{{file, waits && waits->id == "1" ? "2" : "1"}}, file);
      return true;
    });
    add(file + " is rejected while another one waits", [=](World& world) {
      const auto& disk = world.disk;
      if (!idle(world) || !disk.unconfirmed || file == disk.unconfirmed->digest ||
          file == disk.attempt || file == disk.digest() || file == disk.good)
        return false;
      by_hand(world, events::Rejected{bad_file(file, kSomebody)}, world.host);
      return true;
    });
    add("another apply of " + file + " is confirmed", [=](World& world) {
      if (!idle(world) || !world.disk.unconfirmed) return false;
      by_hand(world, events::Confirmed{{file, "3"}}, world.host);
      return true;
    });
    add("rollback to " + file, [=](World& world) {
      const auto from = world.disk.digest();
      if (!idle(world) || world.disk.unconfirmed || from.empty() || from == file) return false;
      by_hand(world,
              events::Applied{.digest = file, .settle = {}, .rejects = bad_file(from, kSomebody)},
              file);
      return true;
    });
  }
  for (const bool keep : {true, false}) {
    for (const bool write_fails : {false, true}) {
      add(std::string(keep ? "all nodes keep it" : "all nodes go back") +
              (write_fails ? ", which is not written" : ""),
          [=](World& world) {
            const bool may = !keep || world.mind.digest() == world.offered;
            return idle(world) && !world.offered.empty() && may &&
                   decided(world, keep, write_fails);
          });
    }
  }
  add("the source has no file, or nobody says where it is", [=](World& world) {
    if (!idle(world) || world.source.empty()) return false;
    world.source.clear();
    tell(world, offered(world));
    return true;
  });
  add("follow --stop", [=](World& world) {
    if (!idle(world) || !world.is_git || world.disk.unconfirmed) return false;
    world.is_git = false;
    world.source = world.disk.digest();  // what is in force becomes the file of this machine
    by_hand(world, events::SourceStopped{}, world.host);
    return true;
  });
  add("follow --stop, as the daemon sees it", [=](World& world) {
    if (!idle(world) || !world.is_git || world.disk.unconfirmed) return false;
    world.is_git = false;
    world.source = world.disk.digest();
    tell(world, events::SourceStopped{});
    return true;
  });
  add("a trial is to last longer", [=](World& world) {
    if (!idle(world) || !world.is_git || world.settle.count() == 2) return false;
    world.settle = std::chrono::milliseconds(2);
    tell(world, offered(world));
    return true;
  });
  add("follow begins", [=](World& world) {
    if (!idle(world) || world.is_git || !world.offered.empty()) return false;
    world.is_git = true;
    tell(world, offered(world));
    return true;
  });
  add("rolls back what was interrupted", [=](World& world) {
    const auto attempt = world.disk.attempt;
    if (!idle(world) || world.disk.unconfirmed || attempt.empty()) return false;
    by_hand(world, events::Rejected{bad_file(attempt, kSomebody)}, world.disk.digest());
    return true;
  });
  add("sync --retry", [=](World& world) {
    if (!idle(world)) return false;
    by_hand(world, events::Retried{}, world.host);
    return true;
  });
  add("held", [=](World& world) {
    if (!idle(world) || world.mind.is_held) return false;
    tell(world, events::Held{});
    return true;
  });
  add("freed", [=](World& world) {
    if (!idle(world) || !world.mind.is_held) return false;
    tell(world, events::Freed{});
    return true;
  });
  add("confirm", [=](World& world) {
    if (!idle(world) || !world.disk.unconfirmed) return false;
    by_hand(world, events::Confirmed{*world.disk.unconfirmed}, world.disk.unconfirmed->digest);
    return true;
  });
  add("not confirmed", [=](World& world) {
    if (!idle(world) || !world.disk.unconfirmed) return false;
    by_hand(world, events::Rejected{bad_file(world.disk.unconfirmed->digest, kSomebody)},
            world.disk.digest());
    return true;
  });
  for (const auto& file : kFiles) {
    add("confirm " + file + ", of which nobody could note that it waits", [=](World& world) {
      if (!idle(world) || world.disk.unconfirmed) return false;
      by_hand(world, events::Confirmed{{file, "1"}}, file);
      return true;
    });
  }
  for (const bool write_fails : {false, true}) {
    const std::string how = write_fails ? ", which is not written" : "";
    for (const auto trend : {Trend::kOpen, Trend::kSame, Trend::kWorse}) {
      add("a look " + std::to_string(static_cast<int>(trend)) + how, [=](World& world) {
        if (!idle(world)) return false;
        const auto said = std::to_string(static_cast<int>(trend));
        tell(world, events::Looked{seen_with(world.host, said), trend}, write_fails);
        const auto& mind = world.mind;
        const bool counts =
            mind.trial && !mind.unconfirmed && mind.attempt.empty() && !mind.returns;
        if (counts) world.judged = mind.trial->digest + said + world.host;
        return true;
      });
    }
    add("settled" + how, [=](World& world) {
      if (!idle(world) || !world.mind.trial) return false;
      tell(world, events::Settled{kWhy, kAt, seen_with(world.host, "1")}, write_fails);
      return true;
    });
    add("tries" + how, [=](World& world) {
      if (!idle(world) || world.due != Effect::kTry) return false;
      const bool is_clean = world.mind.attempt.empty();
      tell(world, events::Trying{}, write_fails);
      if (world.disk.attempt != world.mind.candidate->digest) return !write_fails;
      world.judged.clear();
      world.stage = Stage::kTrying;
      world.is_clean = is_clean;
      return true;
    });
    add("the apply is recorded" + how, [=](World& world) {
      if (world.stage != Stage::kApplied || !world.mind.candidate) return false;
      const auto offer = *world.mind.candidate;
      tell(world,
           events::Applied{
               .digest = offer.digest, .settle = offer.settle, .rejects = {}, .offer = offer.offer},
           write_fails);
      world.stage = Stage::kIdle;
      world.is_clean = false;
      world.judged.clear();
      if (write_fails && !world.mind.is_held) tell(world, events::Freed{});  // the next pass
      return true;
    });
    add("the apply fails" + how, [=](World& world) {
      if (world.stage != Stage::kTrying) return false;
      tell(world, events::NotApplied{}, write_fails);
      world.stage = Stage::kIdle;
      world.is_clean = false;
      return true;
    });
    add("the apply fails for good" + how, [=](World& world) {
      // Of one that is offered to all, all nodes say so.
      if (world.stage != Stage::kTrying || !world.mind.candidate || !world.offered.empty())
        return false;
      tell(world, events::NotApplied{bad_file(world.mind.candidate->digest)}, write_fails);
      world.stage = Stage::kIdle;
      world.is_clean = false;
      return true;
    });
  }
  add("the candidate is applied", [=](World& world) {
    if (world.stage != Stage::kTrying) return false;
    world.host = world.mind.candidate->digest;
    world.stage = Stage::kApplied;
    return true;
  });
  add("goes back", [=](World& world) {
    if (!idle(world) || world.due != Effect::kGoBack) return false;
    world.host = world.mind.digest();
    world.stage = Stage::kGoBack;
    return true;
  });
  for (const bool write_fails : {false, true}) {
    add(write_fails ? "the return is recorded, which is not written" : "the return is recorded",
        [=](World& world) {
          if (world.stage != Stage::kGoBack) return false;
          world.stage = Stage::kIdle;
          tell(world, events::Applied{.digest = world.mind.digest(), .settle = {}, .rejects = {}},
               write_fails);
          return true;
        });
    add(write_fails ? "the return fails, which is not written" : "the return fails",
        [=](World& world) {
          if (world.stage != Stage::kGoBack) return false;
          world.stage = Stage::kIdle;
          tell(world, events::NotApplied{}, write_fails);
          return true;
        });
  }
  add("the candidate is refused by its own words", [=](World& world) {
    if (!idle(world) || world.due != Effect::kTry || !world.offered.empty()) return false;
    world.refused = world.source;
    tell(world, events::Withdrawn{});
    return true;
  });
  add("corrects", [=](World& world) {
    if (!idle(world)) return false;
    correct(world);
    return true;
  });
  add("killed and started", [=](World& world) {
    restart(world);
    return true;
  });
  return all;
}

/// What has to hold between any two steps; empty: it does.
std::string wrong(const World& world) {
  const auto& mind = world.mind;
  if (mind.find_bad(mind.digest()) != nullptr) return "what is known to be bad is in force";
  if (mind.bad.size() > kMostBad) return "the list of bad files grows";
  for (const auto& bad : mind.bad) {
    if (mind.find_bad(bad.digest) != &bad) return "a file is known to be bad twice";
  }
  for (const auto& bad : mind.bad) {
    if (bad.why != kWhy || bad.at != kAt) return "why a file is bad, or since when, is lost";
  }
  const auto& disk = world.disk;
  if (disk.candidate || disk.is_held || disk.has_begun_here || disk.trend != Trend::kOpen)
    return "on disk is what a process alone knows";
  const auto& source = world.offered.empty() ? world.source : world.offered;
  const bool is_of_all = !world.offered.empty();
  const bool is_refused = !is_of_all && source == world.refused;
  const bool is_offered = mind.trial && world.is_git && mind.trial->digest == world.source &&
                          world.source != world.refused;
  if (is_offered && mind.trial->settle != world.settle) return "a trial lasts as long as another";
  if (mind.returns && mind.digest().empty()) return "it goes back to no file";
  if (mind.candidate && (mind.candidate->digest != source || is_refused))
    return "what nobody offers is to be tried";
  if (mind.candidate && mind.candidate->settle.has_value() != (world.is_git || is_of_all))
    return "a file from git, or of all, would have no trial, or one from here";
  if (mind.candidate && mind.candidate->offer.empty() == is_of_all)
    return "a file of all would be on a trial of this node, or the other way round";
  if (world.due == Effect::kLook &&
      (!mind.candidate || !mind.candidate->settle || mind.trial || mind.good.empty() || mind.seen))
    return "a look is waited for that nobody needs";
  if (mind.seen && mind.seen->held.front().id != mind.good)
    return "what was seen is of another file than the good one";
  const bool has_begun = mind.candidate && mind.candidate->digest == mind.attempt;
  if (world.due != Effect::kNone && mind.unconfirmed) return "something is due while a file waits";
  if (world.due == Effect::kTry && !mind.candidate) return "nothing is there to be tried";
  if (world.due != Effect::kNone && mind.is_held && !has_begun)
    return "something is due while held";
  if (!mind.attempt.empty() && !has_begun) return "an apply has begun that nobody will finish";
  if (!is_same_record(mind, world.disk)) return "the daemon believes what is not on disk";
  const bool is_known_bad = mind.candidate && mind.find_bad(mind.candidate->digest) != nullptr;
  if (mind.candidate && (mind.candidate->digest == mind.digest() || (is_known_bad && !is_of_all)))
    return "the candidate is in force, or known to be bad";
  if (world.stage != Stage::kIdle) return {};
  const bool is_known = source.empty() || is_refused || source == mind.digest() ||
                        (!is_of_all && mind.find_bad(source) != nullptr) ||
                        (mind.candidate && mind.candidate->digest == source);
  return is_known ? "" : "the file of the source is forgotten";
}

/// Of one step.
std::string wrong_between(const Action& action, const World& before, const World& after) {
  if (action.name == "killed and started") {
    auto passed = after;
    correct(passed);
    const bool was_right = before.host == before.disk.digest();
    if (was_right && passed.host != before.host) return "a restart changes what is right";
    // What had begun is not turned back before it is tried again.
    if (!before.disk.attempt.empty() && before.offered.empty() &&
        before.source == before.disk.attempt && before.disk.unconfirmed == std::nullopt) {
      if (after.due != Effect::kTry) return "an interrupted apply is not taken up again";
      if (passed.host != before.host) return "an interrupted apply is turned back and forth";
    }
    if (before.disk.returns && !before.disk.unconfirmed && after.due != Effect::kGoBack &&
        after.due != Effect::kTry)
      return "a return is forgotten";
  }
  const bool is_first_try = action.name.starts_with("tries") && before.mind.candidate &&
                            before.mind.attempt != before.mind.candidate->digest;
  if (is_first_try && before.mind.candidate->settle && !before.mind.trial &&
      !before.mind.good.empty() && !before.mind.seen)
    return "a file is tried before anybody looked how it was";
  const bool ends_trial =
      action.name.starts_with("settled") || action.name.starts_with("all nodes go back");
  if (ends_trial && before.mind.trial && !after.mind.trial &&
      after.mind.find_bad(before.mind.trial->digest) != nullptr && !before.mind.is_held &&
      !before.mind.unconfirmed && before.mind.attempt.empty() && after.due != Effect::kGoBack)
    return "a bad file stays applied";
  const bool is_fault =
      action.name.starts_with("settled") || action.name.starts_with("the apply fails");
  if (is_fault && before.mind.candidate && !after.mind.candidate &&
      after.mind.digest() != before.mind.candidate->digest &&
      after.mind.find_bad(before.mind.candidate->digest) == nullptr)
    return "a refusal drops the file of another";
  if (action.name.ends_with("by hand") && after.mind.digest() != after.host)
    return "what somebody applied is not in force";
  if (action.name.starts_with("rollback") &&
      (after.mind.digest() != after.host || after.due == Effect::kTry) &&
      after.mind.find_bad(before.disk.digest()) == nullptr)
    return "what somebody rolled back comes again";
  if (action.name.starts_with("follow --stop") && after.mind.digest() != before.mind.digest())
    return "follow --stop changes what is in force";
  if (action.name.starts_with("follow --stop") && after.mind.trial &&
      after.mind.trial->offer.empty())
    return "a trial goes on for no source";
  if (action.name.starts_with("the source has no file") &&
      after.mind.digest() != before.mind.digest())
    return "absence changes what is in force";
  return {};
}

/// Of one step about an apply that waits for its confirmation.
std::string wrong_with_confirmation(const Action& action, const World& before, const World& after) {
  const auto& name = action.name;
  const auto& waited = before.disk.unconfirmed;
  const bool ends_it = name.starts_with("confirm") || name.starts_with("not confirmed");
  if (name.ends_with("--confirm")) {
    const bool is_it = after.disk.unconfirmed && after.disk.unconfirmed != waited &&
                       after.disk.unconfirmed->digest == after.host;
    return after.disk.digest() != before.disk.digest() || !is_it
               ? "an apply that is not confirmed is in force, or forgotten"
               : "";
  }
  if (name.ends_with("by hand")) {
    return after.disk.unconfirmed ? "it waits for a confirmation that nobody can give" : "";
  }
  if (!ends_it) {
    return waited && after.disk.unconfirmed != waited ? "an apply that waits is forgotten" : "";
  }
  if (after.disk.unconfirmed) return "what is over waits still";
  if (name.starts_with("confirm")) {
    if (after.disk.digest() != after.host) return "what is confirmed is not in force";
    return after.disk.returns ? "what is confirmed is taken back" : "";
  }
  if (before.disk.digest() != waited->digest && after.disk.digest() != before.disk.digest())
    return "a rejection changes what was in force";
  if (waited->digest != before.disk.good && after.disk.find_bad(waited->digest) == nullptr)
    return "what nobody confirmed is not known to be bad";
  const bool is_due = after.disk.returns || after.disk.good.empty();
  return after.disk.digest() != before.disk.digest() && !is_due
             ? "another file is in force, and nobody applies it"
             : "";
}

/// Of one step about the trial.
std::string wrong_with_trial(const Action& action, const World& before, const World& after) {
  const auto& name = action.name;
  const bool is_written = !name.ends_with("not written");
  const auto& trial = before.mind.trial;
  const bool is_other = trial && after.mind.trial && trial->digest == after.mind.trial->digest &&
                        trial->settle != after.mind.trial->settle;
  if (is_other && after.source != trial->digest) return "another file sets how long a trial lasts";
  if (before.disk.seen && !after.disk.seen && before.disk.good == after.disk.good)
    return "what was seen with the good file is forgotten";
  if (name.starts_with("a look")) {
    const bool is_of_good = !before.mind.trial && !before.mind.unconfirmed &&
                            !before.mind.returns && before.mind.attempt.empty() &&
                            !before.mind.good.empty();
    if (!is_of_good) {
      return before.disk.seen != after.disk.seen ? "a look at another file counts" : "";
    }
    const bool is_kept = after.disk.seen && name.contains(after.disk.seen->failed.front().id);
    return is_written && !is_kept ? "a look is not kept" : "";
  }
  if (name == "apply " + (trial ? trial->digest : "none") + " by hand" && !after.disk.trial)
    return "an apply of the file on trial makes it good";
  const bool is_of_all = trial && !trial->offer.empty();
  const bool is_decided = name.starts_with("all nodes");
  if (is_of_all && is_decided && is_written) {
    if (after.mind.trial) return "what all nodes decided is not so here";
    if (name == "all nodes keep it" && (after.mind.good != trial->digest || after.mind.returns))
      return "what all nodes keep is not good";
    const bool is_known = after.mind.find_bad(trial->digest) != nullptr;
    if (name == "all nodes go back" &&
        (!is_known || !after.mind.returns || after.mind.good != before.mind.good))
      return "what all nodes go back from stays";
  }
  const bool may_end_alone = name.ends_with("by hand") || name.starts_with("rollback") ||
                             name.starts_with("confirm") || name.ends_with("is confirmed") ||
                             name == "not confirmed" || name.ends_with("is recorded");
  if (is_of_all && !is_decided && !may_end_alone && after.mind.trial != trial)
    return "one node ends the trial of all";
  if (!name.starts_with("settled") || is_of_all) {
    const bool became_good = trial && before.disk.good != after.disk.good &&
                             after.disk.good == trial->digest && !name.starts_with("confirm") &&
                             !name.starts_with("follow --stop") && !is_decided;
    return became_good ? "a trial is good without its end" : "";
  }
  const bool is_good = after.mind.good == trial->digest && !after.mind.trial;
  const bool is_bad = after.mind.find_bad(trial->digest) != nullptr;
  const auto said = [&](const char* trend) {
    return before.judged == trial->digest + trend + trial->digest;
  };
  const bool is_first = before.mind.good.empty();
  if (is_good && !said("1") && !(said("2") && is_first)) return "good without a look that says so";
  if (is_bad && !said("2")) return "bad without a look that says so";
  if (is_bad && !after.mind.returns) return "a bad file is left where it is";
  if (is_good && (!after.mind.seen || after.mind.seen->held.front().id != trial->digest))
    return "what was seen of a good file is forgotten";
  if (is_written && said("1") && !is_good) return "all holds, and it is not good";
  if (is_written && said("2") && !is_first && !is_bad) return "something fails, and it is not bad";
  return {};
}

/// Of one step about an apply that had begun.
std::string wrong_with_attempt(const Action& action, const World& before, const World& after) {
  const auto& name = action.name;
  const bool is_written = !name.ends_with("not written");
  const auto& attempt = before.disk.attempt;
  const bool fails = name.starts_with("the apply fails") && is_written;
  const auto is_known_bad = [&after](const std::string& digest) {
    return after.disk.find_bad(digest) != nullptr;
  };
  if (fails && before.is_clean && after.disk.returns)
    return "a failure that left what was there is gone back from";
  if (fails && name.starts_with("the apply fails for good") && attempt != after.disk.digest() &&
      attempt != after.disk.good && !is_known_bad(attempt))
    return "what failed for good is not known to be bad";
  if (name.starts_with("rolls back") && attempt != before.disk.good && !is_known_bad(attempt))
    return "what somebody rolled back comes again";
  // The verbs that leave the host as one file says, and what fails as if nothing had been.
  const bool ends = name.starts_with("the ") || name.ends_with("by hand") ||
                    name.starts_with("rollback") || name.starts_with("rolls back") ||
                    name.starts_with("confirm") || name == "all nodes keep it";
  const auto& waited = before.disk.unconfirmed;
  const bool is_rejected = name == "not confirmed" && waited->digest == attempt;
  if (!attempt.empty() && after.disk.attempt != attempt && !ends && !is_rejected &&
      !after.disk.returns && !after.disk.digest().empty())
    return "what had begun is given up, and stays where it is";
  const bool was_on_trial = before.disk.trial && waited && before.disk.trial->digest == attempt;
  if (is_rejected && !attempt.empty() && !before.disk.returns && !was_on_trial &&
      after.disk.returns)
    return "what is rolled back is gone back from";
  if (name == "held" && after.disk.attempt != attempt)
    return "held, and what had begun is given up";
  const bool is_adopted = name == "sync --retry" || name.ends_with("is confirmed");
  if (is_adopted && !after.disk.unconfirmed && after.mind.candidate &&
      after.mind.candidate->digest == after.mind.attempt && after.due != Effect::kTry)
    return "what has begun is not finished first";
  return {};
}

/// Of one step about what is known to be bad, and what is due.
std::string wrong_with_effects(const Action& action, const World& before, const World& after) {
  const auto& name = action.name;
  const bool is_written = !name.ends_with("not written");
  if (name == "tries" && after.disk.attempt != before.mind.candidate->digest)
    return "it is tried before that is on disk";
  if (name == "held" && (!after.mind.is_held || after.due != Effect::kNone))
    return "held, and not held";
  if (name.starts_with("the apply fails") && after.due != Effect::kNone)
    return "what failed is due at once";
  if (name.starts_with("tries") && after.stage == Stage::kTrying && after.due != Effect::kNone)
    return "what is tried is due again";
  const bool may = !after.mind.unconfirmed && (after.mind.returns || after.mind.candidate);
  if (name == "freed" && may && after.due == Effect::kNone) return "freed, and nothing is due";
  const bool is_return = name.starts_with("the return");
  if ((is_return || name.starts_with("the apply is recorded") || name.ends_with("by hand")) &&
      is_written && after.disk.returns)
    return "a return never ends";
  if (name.starts_with("the apply fails") && is_written && before.mind.returns &&
      !after.mind.returns)
    return "a try that fails drops a return";
  const bool is_over = name == "the apply is recorded" || name == "the return is recorded" ||
                       (name == "settled" && !after.mind.trial);
  if (is_over && may && !after.mind.is_held && after.due == Effect::kNone)
    return "what waits is not due";
  const bool is_by_hand = name.starts_with("rollback") || name == "not confirmed";
  const auto* const rejected = after.disk.find_bad(
      name == "not confirmed" ? before.disk.unconfirmed->digest : before.disk.digest());
  if (is_by_hand && rejected != nullptr && rejected->by != kSomebody)
    return "who rolled a file back is not known";
  // Of two that are bad before and after it, the older one stays the older one.
  for (std::size_t i = 1; i < before.disk.bad.size(); ++i) {
    const auto* const older = after.disk.find_bad(before.disk.bad[i - 1].digest);
    const auto* const newer = after.disk.find_bad(before.disk.bad[i].digest);
    const bool are_same = older != nullptr && newer != nullptr &&
                          *older == before.disk.bad[i - 1] && *newer == before.disk.bad[i];
    if (are_same && older > newer) return "what is said again is written again";
  }
  const bool is_retry = name == "sync --retry";
  for (const auto& bad : before.disk.bad) {
    const bool is_kept = after.disk.find_bad(bad.digest) != nullptr;
    if (is_retry && bad.by.empty() == is_kept) return "a retry is of what failed by itself";
    const bool may_go = after.disk.bad.size() == kMostBad || after.disk.digest() == bad.digest;
    if (!is_retry && !is_kept && !may_go) return "what is known to be bad is forgotten";
  }
  return {};
}

/// Where nothing hinders it, the file of the source comes into force. `fed`: where it did.
std::string starves(World world, bool restarts, std::unordered_set<std::string>& fed) {
  if (world.disk.unconfirmed || (!restarts && world.stage != Stage::kIdle)) return {};
  if (restarts) {
    restart(world);
  } else {
    tell(world, events::Freed{});
  }
  world.judged.clear();
  world.host.clear();
  if (!fed.insert(world.key()).second) return {};
  const auto came = [&world] {
    const auto& mind = world.mind;
    if (!world.offered.empty()) return false;
    return world.source.empty() || world.source == world.refused || mind.good == world.source ||
           mind.find_bad(world.source) != nullptr;
  };
  constexpr int kMost = 8;
  for (int i = 0; i < kMost && !came(); ++i) {
    if (world.due == Effect::kGoBack)
      tell(world, events::Applied{.digest = world.mind.digest(), .settle = {}, .rejects = {}});
    if (world.due == Effect::kTry) {
      tell(world, events::Trying{});
      if (world.disk.attempt.empty()) break;
      const auto offer = *world.mind.candidate;
      tell(
          world,
          events::Applied{
              .digest = offer.digest, .settle = offer.settle, .rejects = {}, .offer = offer.offer});
    }
    if (!world.offered.empty() && world.mind.digest() == world.offered) decided(world, true);
    const auto seen = seen_with(world.mind.digest(), "1");
    tell(world, events::Looked{seen, Trend::kSame});
    if (world.mind.trial) tell(world, events::Settled{{}, {}, seen});
  }
  return came() ? "" : "a good file never comes into force";
}

struct Known {
  World world;
  std::size_t from = 0;
  std::size_t by = 0;  ///< index of the action
  std::size_t depth = 0;
};

}  // namespace

int main() {
  const auto all = actions();
  std::vector<Known> known{{World{}, 0, 0, 0}};
  std::unordered_map<std::string, std::size_t> seen{{known.front().world.key(), 0}};
  const auto tell_of = [&](std::size_t at, const std::string& last, const std::string& what) {
    std::vector<std::string> way;
    for (; at != 0; at = known[at].from) way.push_back(all[known[at].by].name);
    std::cerr << what << ", after:\n";
    for (auto name = way.rbegin(); name != way.rend(); ++name) std::cerr << "  " << *name << "\n";
    if (!last.empty()) std::cerr << "  " << last << "\n";
    return 1;
  };
  std::size_t steps = 0;
  std::unordered_set<std::string> fed;
  for (std::size_t at = 0; at < known.size(); ++at) {
    for (const bool restarts : {false, true}) {
      const auto what = starves(known[at].world, restarts, fed);
      if (!what.empty()) return tell_of(at, restarts ? "killed and started" : "freed", what);
    }
    for (std::size_t by = 0; by < all.size(); ++by) {
      auto next = known[at].world;
      if (!all[by].act(next)) continue;
      ++steps;
      auto what = wrong(next);
      for (auto* const law : {&wrong_between, &wrong_with_confirmation, &wrong_with_trial,
                              &wrong_with_attempt, &wrong_with_effects}) {
        if (what.empty()) what = (*law)(all[by], known[at].world, next);
      }
      if (!what.empty()) return tell_of(at, all[by].name, what);
      if (seen.emplace(next.key(), known.size()).second)
        known.push_back({std::move(next), at, by, known[at].depth + 1});
    }
  }
  std::cout << "in_force: " << known.size() << " states, depth " << known.back().depth << ", "
            << steps << " steps\n";
}
