#include "state/in_force.hpp"

#include <algorithm>

namespace spark::state {
namespace {

struct Step {
  InForce& state;
  std::size_t most_bad;

  /// What is to be done about the candidate.
  [[nodiscard]] Effect next() const {
    if (state.unconfirmed) return Effect::kNone;
    // What has begun is finished first, also where it is held since.
    if (state.candidate && state.attempt == state.candidate->digest) return Effect::kTry;
    if (state.is_held) return Effect::kNone;
    if (state.returns) return Effect::kGoBack;
    if (!state.candidate) return Effect::kNone;
    // How it was before is known while the file from before is in force, or not at all.
    const bool is_judged = state.candidate->settle && !state.trial && !state.good.empty();
    return is_judged && !state.seen ? Effect::kLook : Effect::kTry;
  }

  void forget_candidate(const std::string& digest) {
    if (state.candidate && state.candidate->digest == digest) state.candidate.reset();
  }

  void forget_bad(const std::string& digest) {
    std::erase_if(state.bad, [&](const BadFile& bad) { return bad.digest == digest; });
  }

  void add_bad(const BadFile& bad) {
    // Said once more, it is as it was: a rollback that is tried again writes nothing new.
    const auto* known = state.find_bad(bad.digest);
    if (known == nullptr || known->why != bad.why || known->by != bad.by) {
      forget_bad(bad.digest);
      state.bad.push_back(bad);
    }
    if (state.bad.size() > most_bad) state.bad.erase(state.bad.begin());
    forget_candidate(bad.digest);
  }

  void put_in_force(const std::string& digest) {
    if (state.good != digest) state.seen.reset();
    state.good = digest;
    state.attempt.clear();
    state.returns = false;
    end_trial();
    forget_bad(digest);
  }

  /// Of a file that was begun, and is not finished: what stands there is not known.
  void give_up_attempt() {
    if (state.attempt.empty()) return;
    state.attempt.clear();
    state.returns = !state.digest().empty();
  }

  void end_trial() {
    state.trial.reset();
    state.trend = Trend::kOpen;
    forget_candidate(state.good);
  }

  Effect operator()(const events::Offered& event) {
    const auto& digest = event.offer.digest;
    // What went wrong here once may be right together with all nodes.
    const bool is_taken = state.find_bad(digest) == nullptr || !event.offer.offer.empty();
    const bool counts = digest != state.digest() && is_taken;
    state.candidate = counts ? std::optional(event.offer) : std::nullopt;
    if (!counts || state.attempt != digest) give_up_attempt();
    const auto& trial = state.trial;
    if (trial && trial->digest == digest && trial->offer == event.offer.offer &&
        event.offer.settle) {
      state.trial->settle = *event.offer.settle;
    }
    return next();
  }

  Effect operator()(const events::Withdrawn& /*event*/) {
    state.candidate.reset();
    give_up_attempt();
    return next();
  }

  Effect operator()(const events::Held& /*event*/) {
    state.is_held = true;
    return Effect::kNone;
  }

  Effect operator()(const events::Freed& /*event*/) {
    state.is_held = false;
    return next();
  }

  Effect operator()(const events::Trying& /*event*/) {
    if (!state.candidate) return Effect::kNone;
    state.has_begun_here = state.attempt.empty();
    state.attempt = state.candidate->digest;
    state.trend = Trend::kOpen;
    return Effect::kNone;
  }

  Effect operator()(const events::Applied& event) {
    state.attempt.clear();
    state.returns = false;
    state.unconfirmed.reset();
    const bool is_on_trial = state.trial && state.trial->digest == event.digest;
    if (!event.settle && is_on_trial) {
      forget_candidate(event.digest);  // it stays what it is
    } else if (!event.settle) {
      put_in_force(event.digest);
    } else if (event.digest != state.good) {
      state.trial = Trial{.digest = event.digest, .settle = *event.settle, .offer = event.offer};
      forget_bad(event.digest);
      forget_candidate(event.digest);
    } else {
      end_trial();  // back to what is known to be good
    }
    if (event.rejects && event.rejects->digest != state.digest()) add_bad(*event.rejects);
    return next();
  }

  Effect operator()(const events::NotApplied& event) {
    state.returns = false;  // where it was the return: that is not tried again
    if (state.has_begun_here) state.attempt.clear();
    give_up_attempt();
    if (event.bad && event.bad->digest != state.digest() && event.bad->digest != state.good)
      add_bad(*event.bad);
    return Effect::kNone;
  }

  Effect operator()(const events::Unconfirmed& event) {
    state.unconfirmed = event.file;
    return Effect::kNone;
  }

  Effect operator()(const events::Confirmed& event) {
    if (state.unconfirmed && state.unconfirmed->id != event.file.id) return Effect::kNone;
    state.unconfirmed.reset();
    put_in_force(event.file.digest);
    return next();
  }

  Effect operator()(const events::Rejected& event) {
    const auto& digest = event.bad.digest;
    if (state.unconfirmed && state.unconfirmed->digest == digest) state.unconfirmed.reset();
    if (state.trial && state.trial->digest == digest) {
      end_trial();
      state.returns = !state.good.empty();
    }
    if (state.attempt == digest) state.attempt.clear();
    // Who rolls an apply of the file in force back wants the values before it, and has no other
    // file.
    if (digest != state.good) add_bad(event.bad);
    return next();
  }

  Effect operator()(const events::Looked& event) {
    if (state.unconfirmed) return Effect::kNone;
    // What stands there may be of another file.
    if (state.returns || !state.attempt.empty()) return next();
    if (state.trial) {
      state.trend = event.trend;
      return Effect::kNone;
    }
    if (!state.good.empty()) state.seen = event.seen;
    return next();
  }

  Effect operator()(const events::Settled& event) {
    if (!state.trial || state.unconfirmed || state.trend == Trend::kOpen) return Effect::kNone;
    if (!state.trial->offer.empty()) return Effect::kNone;  // all nodes end it
    const auto digest = state.trial->digest;
    // Without an earlier file nothing can have got worse.
    if (state.trend == Trend::kSame || state.good.empty()) {
      put_in_force(digest);
      state.seen = event.seen;
      return next();
    }
    end_trial();
    add_bad({.digest = digest, .why = event.why, .at = event.at});
    state.returns = true;
    return next();
  }

  Effect operator()(const events::Decided& event) {
    const bool is_on_trial = state.trial && state.trial->offer == event.offer;
    if (is_on_trial && !event.bad) {
      const auto digest = state.trial->digest;
      put_in_force(digest);
      state.seen = event.seen;
    } else if (event.bad && (is_on_trial || state.attempt == event.bad->digest)) {
      give_up_attempt();
      if (is_on_trial) end_trial();
      add_bad(*event.bad);
      state.returns = !state.digest().empty();
    }
    return next();
  }

  Effect operator()(const events::SourceStopped& /*event*/) {
    state.candidate.reset();
    give_up_attempt();
    const bool returns = state.returns;
    if (state.trial && state.trial->offer.empty()) {
      const auto digest = state.trial->digest;
      put_in_force(digest);
    }
    state.returns = returns;
    return next();
  }

  Effect operator()(const events::Retried& /*event*/) {
    std::erase_if(state.bad, [](const BadFile& bad) { return bad.by.empty(); });
    return Effect::kNone;
  }

  Effect operator()(const events::Restarted& /*event*/) {
    state.candidate.reset();
    state.is_held = false;
    state.trend = Trend::kOpen;
    state.has_begun_here = false;
    return Effect::kNone;
  }
};

}  // namespace

std::string FactKey::text() const { return id + ' ' + link + ' ' + subject; }

std::optional<FactKey> FactKey::parse(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto next = [&text] {
    const auto end = text.find(' ');
    std::string part(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
  };
  FactKey key{.id = next(), .link = next()};
  key.subject = text;
  return key;
}

const BadFile* InForce::find_bad(const std::string& digest) const {
  const auto found = std::ranges::find(bad, digest, &BadFile::digest);
  return found == bad.end() ? nullptr : &*found;
}

std::pair<InForce, Effect> step(InForce state, const InForceEvent& event, std::size_t most_bad) {
  const auto effect = std::visit(Step{state, most_bad}, event);
  return {std::move(state), effect};
}

bool is_same_record(const InForce& one, const InForce& other) {
  return step(one, events::Restarted{}).first == step(other, events::Restarted{}).first;
}

}  // namespace spark::state
