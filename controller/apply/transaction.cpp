#include "apply/transaction.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apply/read_back.hpp"
#include "apply/rollback.hpp"
#include "plan/plan.hpp"
#include "plan/release.hpp"
#include "state/in_force_file.hpp"
#include "state/ledger.hpp"
#include "state/snapshot_diff.hpp"

namespace spark::apply {
namespace {

using Clock = std::chrono::steady_clock;

/// Bytes of a small file.
constexpr std::size_t kRoomForFile = std::size_t{16} * 1024;
/// The ledger, the history, the text as a file of the history and in what is in force; and with a
/// first apply the folder of these texts, and a name for what replaces another.
constexpr std::size_t kFilesOfRecord = 8;

/// The step failed, and its device, which was there when the plan was made, is gone.
bool lost_its_device(host::Host& host, const plan::Step& step, const kinds::Outcome& outcome) {
  if (outcome || outcome.error().code != ErrorCode::kNotFound || step.effect.link.empty()) {
    return false;
  }
  host::View now(host);
  return now.links() && now.link(step.effect.link) == nullptr;
}

std::size_t first_handed_back(const plan::Plan& plan) {
  const auto found = std::ranges::find_if(
      plan.steps, [](const plan::Step& step) { return step.effect.hands_back; });
  return static_cast<std::size_t>(found - plan.steps.begin());
}

}  // namespace

Transaction::Transaction(host::Host& host, const config::Node& node, const plan::Plan& plan,
                         host::View& before, const kinds::Ledger& ledger,
                         const TransactionObserver& observer, const state::ApplyRequest& request)
    : host_(host),
      node_(node),
      plan_(plan),
      before_(before),
      ledger_(ledger),
      observer_(observer),
      request_(request),
      interrupted_(state::interrupted_before(before, plan.node)),
      first_handed_back_(first_handed_back(plan)) {}

Report Transaction::run() {
  if (plan_.steps.empty()) return only_remember();
  if (auto ready = prepare(); !ready) return not_started(std::move(ready.error()));
  auto done = run_steps();
  if (done) done = verify();
  if (done) done = commit();
  if (done) {
    report_.outcome = Report::Outcome::kApplied;
    report_.left = std::move(left_);
  } else {
    roll_back(std::move(done.error()));
  }
  record();
  tell_in_force();
  if (done) {
    if (auto finished = finish(); !finished) report_.failure = finished.error();
  }
  return std::move(report_);
}

Result<> Transaction::prepare() {
  auto journal = new_journal();
  if (!journal) return std::unexpected(journal.error());
  journal_ = std::move(*journal);
  if (auto watching = host_.netlink.watch(); !watching) return watching;
  // Read now, to compare with after a rollback. A correction has no time for routes.
  static_cast<void>(before_.addresses());
  if (plan_.kinds == plan::Kinds::kAll) {
    std::vector<const plan::Step*> steps;
    std::ranges::transform(plan_.steps, std::back_inserter(steps),
                           [](const plan::Step& step) { return &step; });
    // What an interrupted apply saw of a link counts.
    journal_.tables.merge(state::read_tables(before_, touched_links(steps, before_)));
  }
  const auto replaced = state::find_journal(before_, plan_.node).value_or(std::nullopt);
  if (replaced) {
    // The ledger keeps what only the replaced journal remembers.
    if (auto written = state::write_ledger(host_.files, plan_.node, ledger_); !written)
      return written;
  }
  if (auto written =
          state::write_journal(host_.files, journal_, replaced ? replaced->first : std::string());
      !written) {
    return written;
  }
  report_.journal = journal_.id;
  if (auto room = hold_room(); !room) return room;
  if (auto begun = observer_.begins(journal_); !begun) return begun;
  // A confirmation writes it again; else the file on disk is all that counts from now on.
  if (!request_.confirm_within) journal_ = {.id = report_.journal};
  // A correction restores what was so before: where it ends nothing, it cuts nobody off.
  if (!request_.text.empty() || node_.released) {
    connectivity_ = record_connectivity(plan_, before_, request_.confirm_within.has_value());
  }
  return {};
}

/// What cannot be written is found before the first change, not behind the last.
Result<> Transaction::hold_room() {
  std::vector<UniqueFd> of_steps;  // for all of them at once, and until the record has its room too
  for (const auto& step : plan_.steps) {
    for (const auto& file : step.files) {
      auto held = host_.files.hold_room(file, kRoomForFile);
      if (!held) return std::unexpected(held.error());
      of_steps.push_back(*std::move(held));
    }
  }
  if (request_.text.empty()) return {};  // a correction notes nothing
  while (room_for_record_.size() < kFilesOfRecord) {
    auto held =
        host_.files.hold_room(state::ledger_path(plan_.node), kRoomForFile + request_.text.size());
    if (!held) return std::unexpected(held.error());
    room_for_record_.push_back(*std::move(held));
  }
  return {};
}

Result<state::Journal> Transaction::new_journal() {
  auto journal = state::begin_journal(host_, plan_, ledger_, request_);
  journal.released = node_.released;
  if (!interrupted_) return journal;
  return state::resumes(*interrupted_, node_, plan_)
             ? state::resuming(*interrupted_, std::move(journal))
             : state::beginning_after(*interrupted_, std::move(journal));
}

Result<> Transaction::run_steps() {
  for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
    if (i == first_handed_back_) {
      const auto current =
          read_back(host_, node_, plan_, report_.steps, state::merged(ledger_, plan_.remember));
      if (auto held = expect_in_place(current.not_in_place); !held) return held;
    }
    if (observer_.interrupted()) {
      report_.interrupted = true;
      return fail(ErrorCode::kBusy, fmt::format("interrupted before {}", plan_.steps[i].name()));
    }
    if (auto made = run_step(i); !made) return made;
  }
  return {};
}

Result<> Transaction::run_step(std::size_t index) {
  const auto& step = plan_.steps[index];
  observer_.begins_step(step);
  report_.steps.push_back(timed(index, [&] { return step.apply(host_); }));
  auto& made = report_.steps.back();
  tried_ = index + 1;
  made.lost_device = lost_its_device(host_, step, made.outcome);
  observer_.on_step(step, made, false);
  if (made.is_done() || made.waits()) return {};
  const auto& error = made.outcome.error();
  return fail(error.code, fmt::format("{}: {}", step.name(), error.what));
}

Result<> Transaction::verify() {
  const auto start = Clock::now();
  const auto unread = first_handed_back_ == plan_.steps.size() ? 0 : first_handed_back_;
  auto current = read_back(host_, node_, plan_, std::span(report_.steps).subspan(unread),
                           state::merged(ledger_, plan_.remember));
  report_.read_back_took = Clock::now() - start;
  if (auto held = expect_in_place(current.not_in_place); !held) return held;
  if (const auto lost = await_connectivity(host_, connectivity_); !lost.empty()) {
    return fail(ErrorCode::kSystem, fmt::format("{}", fmt::join(lost, "; ")));
  }
  left_ = std::move(current.plan);
  return {};
}

Result<> Transaction::expect_in_place(const std::vector<const plan::Step*>& not_in_place) {
  if (not_in_place.empty()) return {};
  report_.overwritten = true;
  return std::unexpected(does_not_hold(*not_in_place.front()));
}

Result<> Transaction::commit() {
  room_for_record_.clear();
  // Others make the steps that this plan leaves: until then their resources are ours as before.
  for (const auto& step : left_->steps) {
    const auto is_same = [&step](const plan::Step& other) {
      return other.kind == step.kind && other.key == step.key;
    };
    if (!node_.released && std::ranges::none_of(plan_.steps, is_same)) {
      plan::keep_entry(left_->remember, step, ledger_);
    }
  }
  if (left_->remember != ledger_) {
    has_new_ledger_ = true;
    if (auto written = state::write_ledger(host_.files, plan_.node, left_->remember); !written) {
      return written;
    }
  }
  if (request_.confirm_within) {
    journal_.applied = true;
    if (auto written = state::write_journal(host_.files, journal_); !written) return written;
  }
  if (node_.released) {
    left_->steps.clear();  // what the next owner makes of a link is no drift
  }
  return {};
}

void Transaction::roll_back(Error failure) {
  room_for_record_.clear();  // what was there before may need it
  report_.failure = std::move(failure);
  roll_back_steps(host_, plan_, node_.released, tried_, before_, ledger_, observer_, report_);
  // Not before: as long as the journal is there, somebody may still confirm it, and the originals
  // have to be known then. A ledger that could not be written may be there all the same.
  if (has_new_ledger_ && report_.outcome == Report::Outcome::kRolledBack) {
    static_cast<void>(state::restore_ledger(host_.files, plan_.node, ledger_));
  }
  // A transaction that resumed another one is now where it began: the other is interrupted still.
  if (!interrupted_ || !state::resumes(*interrupted_, node_, plan_)) {
    remove_rolled_back_journal(host_.files, plan_.node, interrupted_, report_);
  }
}

void Transaction::record() {
  if (request_.text.empty()) return;
  const auto made = std::ranges::count_if(report_.steps, &StepReport::is_done);
  state::Generation generation{.id = report_.journal, .changes = static_cast<std::size_t>(made)};
  switch (report_.outcome) {
    case Report::Outcome::kRolledBack:
      generation.outcome = state::Generation::Outcome::kRolledBack;
      break;
    case Report::Outcome::kRollbackIncomplete:
      generation.outcome = state::Generation::Outcome::kIncomplete;
      break;
    default:
      generation.outcome =
          request_.confirm_within ? state::Generation::Outcome::kPending : good_outcome();
  }
  add_to_history(std::move(generation));
}

Result<> Transaction::finish() {
  if (interrupted_) {
    if (auto cleaned = state::clean_up_after(host_, *interrupted_, plan_.remember); !cleaned) {
      return cleaned;
    }
  }
  if (request_.confirm_within) {
    return {};  // the journal stays until the confirmation
  }
  if (interrupted_) state::discard_unfinished(host_.files, plan_.node, before_);
  return state::remove_journal(host_.files, plan_.node);
}

Report Transaction::not_started(Error failure) {
  if (!journal_.id.empty()) {
    // Nothing was changed. Whatever comes of this, the error before it is the one to report.
    static_cast<void>(state::remove_journal(host_.files, plan_.node, interrupted_));
  }
  report_.outcome = Report::Outcome::kNotStarted;
  report_.failure = std::move(failure);
  return std::move(report_);
}

/// Nothing to change. Only the ledger may be behind, after an adoption or an interrupted apply,
/// which the history then lacks; or the history, after a return to what is there already.
Report Transaction::only_remember() {
  tell_in_force();
  if (!request_.rolls_back.empty()) {
    add_to_history({.id = state::new_id(now()), .changes = 0, .outcome = good_outcome()});
  }
  if (plan_.remember == ledger_ && !interrupted_) {
    if (!request_.change_id.empty() && request_.rolls_back.empty()) {
      const auto noted =
          state::note_change_id(host_.files, plan_.node, plan_.digest, request_.change_id, now());
      if (!noted) report_.unnoted = noted.error();
    }
    return std::move(report_);
  }
  auto done = state::write_ledger(host_.files, plan_.node, plan_.remember);
  if (done && interrupted_) {
    state::discard_unfinished(host_.files, plan_.node, before_);
    done = state::clean_up_after(host_, *interrupted_, plan_.remember);
  }
  if (done && !request_.text.empty() && (interrupted_ || !is_in_history())) {
    add_to_history({.id = interrupted_ ? interrupted_->id : state::new_id(now()),
                    .changes = interrupted_ ? interrupted_->steps.size() : 0,
                    .outcome = good_outcome()});
  }
  if (done && interrupted_) done = state::remove_journal(host_.files, plan_.node);
  if (!done) {
    report_.outcome = Report::Outcome::kNotStarted;
    report_.failure = done.error();
  }
  return std::move(report_);
}

/// From now on this file is the one that counts, for the daemon too: before the lock goes.
void Transaction::tell_in_force() {
  const bool is_of_file = !request_.text.empty() && !node_.released;
  const bool is_whole = report_.outcome == Report::Outcome::kApplied ||
                        report_.outcome == Report::Outcome::kNothingToDo;
  if (!is_of_file || !is_whole) return;
  state::InForceEvent event = state::events::Applied{
      .digest = plan_.digest, .settle = request_.settle, .rejects = {}, .offer = request_.offer};
  if (request_.confirm_within && !report_.journal.empty()) {
    event = state::events::Unconfirmed{{.digest = plan_.digest, .id = report_.journal}};
  } else if (!request_.rolls_back.empty()) {
    std::get<state::events::Applied>(event).rejects =
        state::rolled_back(request_.rolls_back, request_.by, now());
  }
  if (const auto told = state::tell_in_force(host_.files, event, request_.text); !told) {
    report_.unnoted = told.error();
  }
}

/// What was done is done: a history that cannot be written is no reason to roll it back.
void Transaction::add_to_history(state::Generation generation) {
  generation.at = utc_text(now().wall);
  generation.by = request_.by;
  generation.file = request_.file;
  generation.digest = plan_.digest;
  generation.commit = request_.commit;
  generation.change_id = request_.change_id;
  const auto noted = spark::state::add_to_history(host_.files, plan_.node, std::move(generation),
                                                  request_.text, request_.rolls_back);
  if (!noted) report_.unnoted = noted.error();
}

/// The history ends with this file, or with this release.
bool Transaction::is_in_history() const {
  const auto history = state::read_history(host_.files, plan_.node);
  if (!history || state::ends_with_release(*history) != plan::is_released(plan_.remember)) {
    return false;
  }
  const auto now = state::in_force(*history);
  return plan::is_released(plan_.remember) || (now && now->digest == plan_.digest);
}

state::Generation::Outcome Transaction::good_outcome() const {
  return plan::is_released(plan_.remember) ? state::Generation::Outcome::kReleased
                                           : state::Generation::Outcome::kApplied;
}

}  // namespace spark::apply
