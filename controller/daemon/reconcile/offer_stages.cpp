#include "daemon/reconcile/offer_stages.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "config/parse/parse.hpp"
#include "plan/rail_use.hpp"
#include "plan/refusals.hpp"
#include "plan/release.hpp"
#include "state/select.hpp"

namespace spark::daemon {
namespace {

using all_nodes::PlanTold;
using all_nodes::Stage;
using all_nodes::Work;

/// Both ends of a cable are tried again at once after a change, or 3 s after the last try.
constexpr std::chrono::seconds kOpenAfter{3};
/// Links train again.
constexpr std::chrono::seconds kWorseAfter{10};
constexpr std::chrono::seconds kJudgeEvery{2};
constexpr unsigned kFileMode = 0644;

std::string node_of(const Found& last, const std::string& asked, const GoodFile* in_force,
                    host::Host& host) {
  if (!last.node.empty() || in_force == nullptr) return last.node;
  if (!asked.empty()) return asked;
  host::View view(host);
  const auto own = state::own_node(in_force->cluster, view);
  return own ? own->name : std::string();
}

/// "rail 1 of cage 0", or the link's name alone.
std::string place_of(const std::string& link, const config::Node& node) {
  const auto found = node.links.find(link);
  const auto rail = found == node.links.end() ? std::nullopt : found->second.rail;
  return rail ? fmt::format("rail {} of cage {}", rail->rail, rail->cage) : link;
}

/// Empty: it disturbs nothing.
std::string disturbance(const kinds::Effect& effect, const config::Node& node) {
  using enum kinds::Effect::Disturbs;
  if (effect.disturbs == kNothing) return {};
  const auto place = effect.link.empty() ? "every link" : place_of(effect.link, node);
  if (effect.ends_ipv6) return fmt::format("ends IPv6 on {}", place);
  if (effect.link_goes_down) return fmt::format("ends all traffic on {}", place);
  return fmt::format("interrupts {} for a moment", place);
}

void add_line(std::vector<std::string>& lines, const std::string& line) {
  const bool is_new = !line.empty() && std::ranges::find(lines, line) == lines.end();
  if (is_new) lines.push_back(line);
}

/// For another node: the names of programs and users stay here.
PlanTold told_of(Snapshot& snapshot) {
  const auto& steps = snapshot.plan.steps;
  PlanTold told;
  told.changes = static_cast<std::uint32_t>(steps.size());
  for (const auto& item : snapshot.plan.skipped) {
    const auto code = plan::exit_code_of(item.skipped.why);
    if (code == ExitCode::kWaiting) ++told.waiting;
    if (code == ExitCode::kUnknown) ++told.unknown;
  }
  for (const auto& step : steps) {
    add_line(told.steps, fmt::format("{} {}: {} → {}", step.kind, step.key, or_absent(step.before),
                                     or_absent(step.after)));
    add_line(told.disturbs, disturbance(step.effect, snapshot.node));
    for (const auto& route : step.effect.routes) {
      add_line(told.disturbs, fmt::format("cuts the route {}", route));
    }
  }
  for (const auto& [link, use] : plan::used_rails(snapshot.plan, snapshot.node, snapshot.view)) {
    const auto& what = use.device.empty() ? link : use.device;
    if (use.processes.empty()) {
      add_line(told.disturbs, fmt::format("who uses {} cannot be read: a job may", what));
    } else {
      add_line(told.jobs, fmt::format("a job uses {}", what));
    }
  }
  return told;
}

std::string is_released_text(const std::string& node) {
  return fmt::format("it is released: on {} `sudo spark-reconcile apply` ends that", node);
}

bool is_on_trial(const state::InForce& record) {
  return record.trial && !record.trial->offer.empty();
}

}  // namespace

std::string OfferStages::why_hindered(bool has_source, const Found& last,
                                      const state::InForce& record, const Pass& pass) const {
  const auto* offer = all_nodes_.offered();
  const auto& trial = record.trial;
  // Read on another node: each command says where it is typed.
  const auto here = [&](std::string_view why, std::string_view command) {
    return fmt::format("{}: on {} `{}`", why, node_, command);
  };
  constexpr auto kShows = "spark-reconcile status";
  if (has_source) return here("it follows git, where the file goes by a push", kShows);
  if (last.released) return is_released_text(node_);
  if (last.names_no_node) return "the file in force there names no such node";
  if (record.unconfirmed) return here("an apply waits for its confirmation", kShows);
  if (pass.found.paused) return here("it is paused", "sudo spark-reconcile resume");
  if (!pass.happened.has_no_journal) return here("an apply was interrupted", kShows);
  const bool is_other = trial && (offer == nullptr || trial->offer != offer->offer);
  return is_other ? "another file is on trial there: wait until that has ended" : "";
}

/// Empty: it is the one in force, or there is none.
std::string OfferStages::changed_own(const GoodFile* in_force) const {
  const auto own = own_.read(path_).value_or(std::nullopt);
  return own && in_force != nullptr && *own != in_force->text ? sha256_of(*own) : std::string();
}

void OfferStages::look(bool has_source, const Found& last, const std::string& asked,
                       ActiveConfig& file, Pass& pass) {
  const auto& now = pass.start;
  const auto* in_force = file.in_force();
  const auto& record = file.record();
  node_ = node_of(last, asked, in_force, host_);
  hindered_ = why_hindered(has_source, last, record, pass);
  const auto looked =
      all_nodes_.look({.node = node_,
                       .cluster = in_force == nullptr ? nullptr : &in_force->cluster,
                       .hindered = hindered_,
                       // On trial it is the file from before, which is replaced once all keep it.
                       .changed = record.trial ? std::string() : changed_own(in_force)},
                      now);
  pass.note(looked);
  is_known_ = looked && !node_.empty();
  keep(file, pass);
  const auto* offer = all_nodes_.offered();
  if (offer == nullptr || all_nodes_.work(now) != Work::kApply ||
      record.digest() == offer->digest) {
    return;
  }
  const auto why = !hindered_.empty() || record.digest() == planned_over_
                       ? hindered_
                       : "another file was applied there since the plan was shown";
  if (!why.empty()) pass.note(all_nodes_.not_applied(why, now));
}

void OfferStages::keep(ActiveConfig& file, Pass& pass) {
  const auto& now = pass.start;
  const auto* offer = all_nodes_.offered();
  if (offer == nullptr || all_nodes_.work(now) != Work::kKeep) return;
  const auto& record = file.record();
  if (record.digest().empty()) return;     // what is in force cannot be read now
  if (record.digest() != offer->digest) {  // somebody has applied another one
    pass.note(all_nodes_.went_back(now));
    return;
  }
  if (const auto written = write_own(*offer, record); !written) {
    pass.error = fmt::format("what all nodes keep is not written to '{}' yet: {}", path_,
                             written.error().what);
    return;
  }
  pass.note(file.tell(host_.files, state::events::Decided{offer->offer, std::nullopt, seen_}, now));
  if (is_on_trial(record)) return;
  // Else the next rollback would return to it.
  if (!offer->rejects.empty()) {
    const auto rejected = state::rolled_back(offer->rejects, offer->by, now);
    pass.note(file.tell(host_.files, state::events::Rejected{rejected}, now));
  }
  pass.note(all_nodes_.kept(now));
}

/// Before the trial ends: until then nobody takes what stands there.
Result<> OfferStages::write_own(const OfferedFile& offer, const state::InForce& record) const {
  const auto own = own_.read(path_);
  if (!own) return std::unexpected(own.error());
  // What somebody has changed since is a newer file, and waits.
  if (*own && (**own == offer.text || sha256_of(**own) != record.good)) return {};
  return own_.write_durably(path_, offer.text, kFileMode);
}

bool OfferStages::goes_back(const ActiveConfig& file, const Moment& now) const {
  const auto* offer = all_nodes_.offered();
  const auto& record = file.record();
  const bool is_lost =
      is_known_ && is_on_trial(record) && (offer == nullptr || offer->offer != record.trial->offer);
  return is_lost || (offer != nullptr && all_nodes_.work(now) == Work::kGoBack);
}

bool OfferStages::follow(ActiveConfig& file, const Moment& now) {
  const auto* offer = all_nodes_.offered();
  const auto& record = file.record();
  // How the gate was before is known then.
  const bool is_due = offer != nullptr && all_nodes_.work(now) == Work::kApply && has_looked();
  is_followed_ = !goes_back(file, now) && (is_due || is_on_trial(record));
  if (!is_followed_) return false;
  // Where nothing is known of the offer yet, what is on trial stays.
  auto text = offer != nullptr             ? offer->text
              : file.in_force() != nullptr ? file.in_force()->text
                                           : std::string();
  // Once all keep it, it stands there.
  file.take_from(
      path_, {.read = [text = std::move(text)] { return Result<std::optional<std::string>>(text); },
              .trial = std::chrono::milliseconds(0),
              .offer = is_due ? offer->offer : record.trial->offer});
  return true;
}

void OfferStages::go_back(ActiveConfig& file, Pass& pass) const {
  if (!goes_back(file, pass.start)) return;
  const auto* offer = all_nodes_.offered();
  const auto& record = file.record();
  const bool has_trial = is_on_trial(record);
  const auto id = has_trial ? record.trial->offer : offer->offer;
  const auto digest = has_trial ? record.trial->digest : offer->digest;
  if (!has_trial && record.attempt != digest) return;
  const state::BadFile bad{.digest = digest,
                           .why = state::kWhyAllWentBack,
                           .at = utc_text(pass.start.wall),
                           .by = offer == nullptr ? "nobody known" : offer->by};
  pass.note(file.tell(host_.files, state::events::Decided{id, bad, std::nullopt}, pass.start));
}

std::string OfferStages::refusal(Machine& machine, const OfferedFile& offer,
                                 const GoodFile* in_force, PlanTold& told) const {
  if (!own_.is_replaceable(path_).value_or(false)) {
    return fmt::format("'{}' is no file that can be replaced: a symbolic link leads there", path_);
  }
  // Once all keep it, it is too late to find that it cannot be written.
  if (const auto room = own_.hold_room(path_, offer.text.size()); !room) return room.error().what;
  auto parsed = config::parse(offer.text);
  for (const auto& diagnostic : parsed.diagnostics) {
    if (diagnostic.severity != config::Severity::kError) continue;
    const auto text = config::render(diagnostic, "cluster.yaml", offer.text);
    return text.substr(0, text.find('\n'));
  }
  // Under other names nobody would know the words of who went back.
  if (in_force != nullptr && in_force->cluster.name != parsed.cluster.name) {
    return "it renames the cluster: apply it on each node, without --all";
  }
  const GoodFile file{"cluster.yaml", offer.text, std::move(parsed.cluster)};
  auto snapshot = machine.of_all(file);
  if (!snapshot) return snapshot.error().what;
  const auto& node = snapshot->node.name;
  if (node != node_) {
    return fmt::format("it renames {} to {}: apply it on each node, without --all", node_, node);
  }
  // The first pass of a daemon knows of no pass before.
  if (plan::is_released(snapshot->ledger)) return is_released_text(node);
  told = told_of(*snapshot);
  const auto& refusals = snapshot->plan.refusals;
  if (refusals.empty()) return "";
  const auto& refusal = refusals[0];
  if (refusal.id != plan::kCutsOff) return fmt::format("{} [{}]", refusal.what, refusal.id);
  return fmt::format(
      "it would cut {0} off [{1}]: on {0}, with this file, `sudo spark-reconcile apply "
      "--confirm 60s`",
      node, refusal.id);
}

void OfferStages::plan(Machine& machine, const ActiveConfig& file, Pass& pass) {
  const auto* offer = all_nodes_.offered();
  if (offer == nullptr || all_nodes_.work(pass.start) != Work::kPlan) return;
  PlanTold told;
  planned_over_ = file.record().digest();
  const auto refused = refusal(machine, *offer, file.in_force(), told);
  pass.note(all_nodes_.planned(refused, std::move(told), pass.start));
}

bool OfferStages::end(const ActiveConfig& file, Pass& pass) {
  const auto& now = pass.start;
  const auto* offer = all_nodes_.offered();
  if (offer == nullptr) return false;
  const auto work = all_nodes_.work(now);
  const auto& record = file.record();
  if (work == Work::kApply && record.digest() == offer->digest) {
    pass.note(all_nodes_.applied(now));
  } else if (work == Work::kApply && is_followed_ && !file.state().refused.empty()) {
    pass.note(all_nodes_.not_applied(file.state().refused_first, now));
    return true;
  } else if (work == Work::kGoBack && !is_on_trial(record) &&
             (pass.found.released || (!record.returns && record.attempt != offer->digest))) {
    pass.note(all_nodes_.went_back(now));
  }
  return false;
}

void OfferStages::judge(const gate::GateReport& report, const ActiveConfig& file, Pass& pass) {
  const auto& now = pass.start;
  const auto* offer = all_nodes_.offered();
  if (is_on_trial(file.record())) seen_ = facts_seen(report);
  if (offer != nullptr) looked_for_ = offer->offer;
  if (offer == nullptr || all_nodes_.work(now) != Work::kJudge) {
    trial_.rest();
    return;
  }
  pass.outcome.look_again_in(kJudgeEvery);
  const auto& record = file.record();
  if (record.digest() != offer->digest) {
    pass.note(all_nodes_.judged(false, true, "somebody has applied another file there", now));
    return;
  }
  const auto found = compare(record.seen.value_or(state::FactsSeen{}), report);
  const bool is_worse = found.trend == state::Trend::kWorse;
  const bool has_lasted = trial_.has_lasted(found.trend, is_worse ? kWorseAfter : kOpenAfter, now);
  pass.note(all_nodes_.judged(has_lasted && !is_worse, has_lasted && is_worse, found.why, now));
}

bool OfferStages::has_looked() const {
  const auto* offer = all_nodes_.offered();
  return offer != nullptr && looked_for_ == offer->offer;
}

bool OfferStages::keeps_look() const {
  const auto* offer = all_nodes_.offered();
  const auto progress = all_nodes_.progress();
  if (offer == nullptr || !progress || progress->terms.id != offer->offer) return false;
  const auto& stage = progress->nodes.front().stage;
  return stage && (*stage == Stage::kGoing ? has_looked()
                                           : *stage > Stage::kGoing && *stage <= Stage::kFailed);
}

bool OfferStages::wants_look(const Moment& now) const {
  return all_nodes_.offered() != nullptr && (!has_looked() || all_nodes_.work(now) == Work::kJudge);
}

bool OfferStages::has_work(const Moment& now) const {
  const auto work = all_nodes_.work(now);
  return all_nodes_.offered() != nullptr && work != Work::kNone && work != Work::kJudge;
}

}  // namespace spark::daemon
