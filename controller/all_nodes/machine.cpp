#include "all_nodes/machine.hpp"

#include <algorithm>

namespace spark::all_nodes {
namespace {

/// Of others' offers that were refused, so many are told about: more people do not ask at once.
constexpr std::size_t kMostRefused = 4;

/// It planned at most: there is nothing to go back from.
bool is_untouched(const Part& part) { return part.stage <= Stage::kYes; }

bool is_applied(Stage stage) {
  return stage == Stage::kApplied || stage == Stage::kOpen || stage == Stage::kKept;
}

Status status_of(const std::string& node, const Part& part) {
  return {.offer = part.terms.id,
          .digest = part.terms.digest,
          .node = node,
          .stage = part.stage,
          .why = part.why,
          .plan = part.plan};
}

struct Step {
  State& state;
  bool may_decide;

  [[nodiscard]] Part* part_in(const std::string& offer) const {
    return state.part && state.part->terms.id == offer ? &*state.part : nullptr;
  }
  [[nodiscard]] Led* undecided(const std::string& offer) const {
    return state.led && state.led->terms.id == offer && !is_decided(state.led->order) ? &*state.led
                                                                                      : nullptr;
  }
  /// The part in the offer that is led here.
  [[nodiscard]] Part* own_part() const {
    return state.led ? part_in(state.led->terms.id) : nullptr;
  }

  static void decide_back(Led& led, const std::string& why) {
    led.order = Order::kBack;
    led.why = why;
  }

  void refuse(const Status& refused) {
    state.refused.push_back(refused);
    if (state.refused.size() > kMostRefused) state.refused.erase(state.refused.begin());
  }

  void refuse(const Terms& terms, const std::string& why) {
    refuse(status_of(state.node, {.terms = terms, .stage = Stage::kRefused, .why = why}));
  }

  void take(const Terms& terms) {
    // Its origin may not have heard that yet.
    if (state.part && state.part->stage == Stage::kRefused)
      refuse(status_of(state.node, *state.part));
    state.part = Part{.terms = terms};
  }

  /// What is true of a node in the offer that is led here.
  void note(const std::string& node, Stage stage, const std::string& why) {
    auto& led = *state.led;
    auto& known = led.stages.try_emplace(node, Stage::kHeard).first->second;
    known = std::max(known, stage);  // words may come late
    const bool says_no =
        stage == Stage::kRefused || stage == Stage::kFailed || stage == Stage::kBack;
    if (says_no && !is_decided(led.order)) decide_back(led, node + ": " + why);
  }

  [[nodiscard]] bool all_at_least(Stage stage) const {
    const auto& led = *state.led;
    return std::ranges::all_of(led.terms.nodes, [&](const auto& node) {
      const auto found = led.stages.find(node);
      return found != led.stages.end() && found->second >= stage;
    });
  }

  [[nodiscard]] bool another_kept() const {
    return std::ranges::any_of(state.led->stages, [&](const auto& known) {
      return known.first != state.node && known.second == Stage::kKept;
    });
  }

  /// Nobody can keep it any more: what was decided was told too late, or to nobody.
  [[nodiscard]] bool all_others_went_back() const {
    const auto& led = *state.led;
    return std::ranges::all_of(led.terms.nodes, [&](const auto& node) {
      const auto found = led.stages.find(node);
      return node == state.node || (found != led.stages.end() && found->second == Stage::kBack);
    });
  }

  void obey(Part& part, Order order) {
    if (has_ended(part.stage) && part.stage != Stage::kRefused) return;
    if (order == Order::kGo && part.stage == Stage::kYes) {
      part.stage = Stage::kGoing;
      part.order = order;
      if (state.waits) refuse(*state.waits, under_way_text(part.terms));
      state.waits.reset();
    }
    // The first decision counts: this node may have acted on it.
    if (is_decided(part.order)) return;
    // It said so, and maybe that its gate is open: what it saw since comes too late.
    if (order == Order::kKeep && part.stage >= Stage::kApplied && part.applied.contains(state.node))
      part.order = order;
    if (order == Order::kBack) go_back(part);
  }

  static void go_back(Part& part) {
    part.order = Order::kBack;
    if (is_untouched(part)) part.stage = Stage::kBack;
  }

  /// What this node says to itself is heard in the same step.
  void settle() {
    if (auto* const part = own_part()) {
      note(state.node, part->stage, part->why);
      auto& led = *state.led;
      if (led.order == Order::kGo && may_decide && all_at_least(Stage::kOpen))
        led.order = Order::kKeep;
      // The origin is the last to be sure: nobody can hear it once it has gone back.
      const bool is_sure = another_kept() || led.terms.nodes.size() == 1;
      if (led.order != Order::kKeep || is_sure) obey(*part, led.order);
      note(state.node, part->stage, part->why);
    }
    if (state.waits && (!state.part || has_ended(state.part->stage))) {
      take(*state.waits);
      state.waits.reset();
    }
  }

  static std::string at_the_same_time(const Terms& terms) {
    return terms.origin + " offers another file at the same time (by " + terms.by + ")";
  }

  void operator()(const events::Asked& event) {
    if (is_under_way(state)) return;
    state.led = Led{.terms = event.terms};
    take(event.terms);
  }

  void operator()(const events::HeardOffer& event) {
    const auto& terms = event.terms;
    if (terms.origin == state.node || !terms.nodes.contains(state.node) || is_known(terms.id))
      return;
    if (!state.part || has_ended(state.part->stage)) {
      take(terms);
      return;
    }
    auto& part = *state.part;
    const auto former = part.terms;
    if (!is_untouched(part)) {
      refuse(terms, under_way_text(former));
    } else if (former.origin == terms.origin) {
      take(terms);  // who asks again has given up what was before
    } else if (terms.id < former.id) {
      refuse(terms, at_the_same_time(former));
    } else if (auto* const led = undecided(former.id)) {
      decide_back(*led, terms.by + " on " + terms.origin +
                            " asks for another file at the same time, and this one yields");
      take(terms);
    } else if (state.waits && state.waits->id > terms.id) {
      refuse(terms, at_the_same_time(*state.waits));
    } else {
      if (state.waits) refuse(*state.waits, at_the_same_time(terms));
      state.waits = terms;
    }
  }

  [[nodiscard]] bool is_known(const std::string& offer) const {
    return part_in(offer) != nullptr || (state.led && state.led->terms.id == offer) ||
           (state.waits && state.waits->id == offer) ||
           std::ranges::find(state.refused, offer, &Status::offer) != state.refused.end();
  }

  void operator()(const events::Planned& event) {
    auto* const part = part_in(event.offer);
    if (part == nullptr || part->stage != Stage::kHeard) return;
    part->stage = event.refused.empty() ? Stage::kYes : Stage::kRefused;
    part->why = event.refused;
    part->plan = event.plan;
  }

  void operator()(const events::HeardStatus& event) {
    const auto& status = event.status;
    if (auto* const part = part_in(status.offer); part != nullptr && is_applied(status.stage) &&
                                                  status.digest == part->terms.digest &&
                                                  part->terms.nodes.contains(status.node))
      part->applied.insert(status.node);
    if (!state.led || state.led->terms.id != status.offer || status.node == state.node ||
        !state.led->terms.nodes.contains(status.node))
      return;
    if (status.digest == state.led->terms.digest) {
      note(status.node, status.stage, status.why);
    } else {
      note(status.node, Stage::kFailed, "has another file under the same id");
    }
  }

  void operator()(const events::HeardOrder& event) {
    const auto& ordered = event.ordered;
    if (state.waits && state.waits->id == ordered.offer && state.waits->origin == event.origin &&
        ordered.order == Order::kBack)
      state.waits.reset();
    auto* const part = part_in(ordered.offer);
    // What this node ordered itself it knows better: it may have been off since.
    if (part == nullptr || part->terms.origin != event.origin || event.origin == state.node) return;
    if (ordered.digest == part->terms.digest) {
      obey(*part, ordered.order);
    } else if (ordered.order == Order::kGo && is_untouched(*part)) {
      part->stage = Stage::kRefused;
      part->why = "another file under the same id";
    }
  }

  void operator()(const events::Approved& event) {
    auto* const led = undecided(event.offer);
    if (led != nullptr && led->order == Order::kNone && all_at_least(Stage::kYes))
      led->order = Order::kGo;
  }

  void operator()(const events::Cancelled& event) {
    if (auto* const led = undecided(event.offer)) decide_back(*led, event.why);
  }

  void operator()(const events::Applied& event) {
    auto* const part = part_in(event.offer);
    if (part == nullptr || part->stage != Stage::kGoing) return;
    part->stage = Stage::kApplied;
    part->applied.insert(state.node);
  }

  void operator()(const events::NotApplied& event) {
    auto* const part = part_in(event.offer);
    if (part == nullptr || part->stage != Stage::kGoing) return;
    part->stage = Stage::kFailed;
    part->why = event.why;
  }

  void operator()(const events::Judged& event) {
    auto* const part = part_in(event.offer);
    if (part == nullptr || (part->stage != Stage::kApplied && part->stage != Stage::kOpen)) return;
    // That it was open is never unsaid: the decision may have followed from it.
    if (event.is_open) part->stage = Stage::kOpen;
    if (event.is_worse) part->stage = Stage::kFailed;
    part->why = event.why;
  }

  void operator()(const events::Expired& event) {
    auto* const part = part_in(event.offer);
    if (auto* const led = undecided(event.offer)) decide_back(*led, "nobody decided in time");
    if (state.led && state.led->terms.id == event.offer &&
        (part == nullptr || has_ended(part->stage)))
      state.led->is_silent = state.led->order == Order::kKeep;
    if (part == nullptr || has_ended(part->stage) || part->order == Order::kKeep) return;
    const bool is_told = part == own_part() && state.led->order == Order::kKeep &&
                         !state.led->is_silent && !all_others_went_back();
    if (is_told) {
      part->order = Order::kKeep;
    } else {
      go_back(*part);
    }
  }

  void operator()(const events::Kept& event) {
    auto* const part = part_in(event.offer);
    if (part != nullptr && !has_ended(part->stage) && part->order == Order::kKeep)
      part->stage = Stage::kKept;
  }

  void operator()(const events::WentBack& event) {
    auto* const part = part_in(event.offer);
    if (part == nullptr || has_ended(part->stage)) return;
    part->stage = Stage::kBack;
    if (part == own_part()) state.led->is_silent = state.led->order == Order::kKeep;
  }

  void operator()(const events::Restarted& event) {
    state.waits.reset();
    state.refused.clear();
    if (state.led && !is_decided(state.led->order))
      decide_back(*state.led, "the daemon of " + state.node + " was restarted before the decision");
    if (event.is_reboot && state.led && state.led->order == Order::kKeep)
      state.led->is_silent = true;
    if (!state.part || has_ended(state.part->stage)) return;
    // It said at most that it would: where it had begun, what stands there is not known.
    if (state.part->stage < Stage::kApplied) go_back(*state.part);
    if (state.part->stage == Stage::kBack) state.part->why = "the daemon was restarted";
  }
};

}  // namespace

Terms terms_of(const Offer& offer) {
  Terms terms{.id = offer.id, .origin = offer.origin, .by = offer.by, .digest = offer.digest};
  for (const auto& [node, nonce] : offer.nonces) terms.nodes.insert(node);
  return terms;
}

std::string under_way_text(const Terms& terms) {
  return "the file of " + terms.by + " on " + terms.origin + " is under way";
}

State step(State state, const Event& event, bool may_decide) {
  Step step{state, may_decide};
  std::visit(step, event);
  step.settle();
  return state;
}

Work work_of(const State& state) {
  if (!state.part || has_ended(state.part->stage)) return Work::kNone;
  const auto& part = *state.part;
  if (part.stage == Stage::kHeard) return Work::kPlan;
  if (part.order == Order::kBack) return Work::kGoBack;
  if (part.order == Order::kKeep) return Work::kKeep;
  if (part.stage == Stage::kGoing) return Work::kApply;
  const bool is_judged = part.stage == Stage::kApplied || part.stage == Stage::kOpen;
  return is_judged && part.applied == part.terms.nodes ? Work::kJudge : Work::kNone;
}

Words words_of(const State& state) {
  Words words{.statuses = state.refused, .orders = {}};
  if (state.part) words.statuses.push_back(status_of(state.node, *state.part));
  if (!state.led || state.led->order == Order::kNone) return words;
  const auto& led = *state.led;
  // After a reboot it says that it is kept only once another node has said so.
  const bool is_sure =
      state.part && state.part->terms.id == led.terms.id && state.part->order == Order::kKeep;
  if (!led.is_silent || is_sure)
    words.orders.push_back(
        {.offer = led.terms.id, .digest = led.terms.digest, .order = led.order, .why = led.why});
  return words;
}

bool is_under_way(const State& state) {
  if (state.part && !has_ended(state.part->stage)) return true;
  if (!state.led || state.led->order == Order::kBack || state.led->is_silent) return false;
  return std::ranges::any_of(state.led->terms.nodes, [&](const auto& node) {
    const auto found = state.led->stages.find(node);
    return found == state.led->stages.end() || found->second < Stage::kKept;
  });
}

}  // namespace spark::all_nodes
