#include "daemon/reconcile/all_nodes.hpp"

#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_document.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "config/parse/parse.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"

namespace spark::daemon {

using all_nodes::Order;
using all_nodes::Stage;
using all_nodes::State;
using all_nodes::Work;
using std::chrono::milliseconds;
namespace events = all_nodes::events;

namespace {

constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kMostTaken = 16;
constexpr const char* kSshDirectory = "/etc/ssh";

/// Keeps the first error, and lets the rest happen.
class Problems {
 public:
  void note(const Result<>& result) {
    if (first_ && !result) first_ = result;
  }
  [[nodiscard]] Result<> first() const { return first_; }

 private:
  Result<> first_;
};

/// The offer in which the origin, which is this node, said go.
std::string gone_in(const State& state) {
  return state.led && state.led->order == Order::kGo ? id_of(state.led) : "";
}

/// The offer that this node began to apply.
std::string begun_in(const State& state) {
  return state.part && state.part->stage == Stage::kGoing ? id_of(state.part) : "";
}

bool may_decide(const AllNodesRecord& record, const Moment& now) {
  return !gone_in(record.state).empty() && now.boot < decision_ends(record);
}

/// Nodes that have neither refused nor said yes.
std::vector<std::string> silent_nodes(const all_nodes::Led& led) {
  std::vector<std::string> silent;
  for (const auto& node : led.terms.nodes) {
    const auto known = led.stages.find(node);
    if (known == led.stages.end() || known->second == Stage::kHeard) silent.push_back(node);
  }
  return silent;
}

std::string not_answering(const std::vector<std::string>& nodes) {
  return fmt::format("{} {} not answer", listed(nodes), nodes.size() == 1 ? "does" : "do");
}

std::string no_key_of(const std::string& node, const std::string& own) {
  return fmt::format("{0} knows no key of {1}: `sudo spark-reconcile join` on {0} and on {1}", own,
                     node);
}

/// What kept the decision from being made before less time was left than it needs to reach all.
std::string too_late_text(const all_nodes::Led& led) {
  std::vector<std::string> silent;
  std::vector<std::string> not_open;
  for (const auto& node : led.terms.nodes) {
    const auto known = led.stages.find(node);
    const auto stage = known == led.stages.end() ? Stage::kHeard : known->second;
    if (stage < Stage::kApplied) silent.push_back(node);
    if (stage == Stage::kApplied) not_open.push_back(node);
  }
  std::vector<std::string> whys;
  if (!silent.empty()) {
    whys.push_back(fmt::format("{} had not said that the file is applied", listed(silent)));
  }
  if (!not_open.empty()) {
    whys.push_back(fmt::format("the gate of {} was not as good as before", listed(not_open)));
  }
  return fmt::format("too little time was left: {}", fmt::join(whys, ", and "));
}

/// What that node knows of the offers under way.
std::set<std::string> offers_of(const State& state, bool with_ended) {
  std::set<std::string> ids;
  if (state.part && (with_ended || !has_ended(state.part->stage))) ids.insert(id_of(state.part));
  if (state.led && with_ended) ids.insert(id_of(state.led));
  if (state.waits) ids.insert(state.waits->id);
  return ids;
}

/// "ssh-ed25519 AAAA…" of each, without the comment.
std::vector<std::string> read_host_keys(host::Files& files) {
  std::vector<std::string> keys;
  for (const auto& name : files.list(kSshDirectory).value_or(std::vector<std::string>{})) {
    if (!name.starts_with("ssh_host_") || !name.ends_with("_key.pub")) continue;
    const auto text =
        files.read(fmt::format("{}/{}", kSshDirectory, name)).value_or(std::nullopt).value_or("");
    const auto line = fold_blanks(spark::line_of(text, 1));
    const auto words = split(line, ' ');
    if (words.size() < 2 || keys.size() == all_nodes::kMostHostKeys) continue;
    keys.push_back(fmt::format("{} {}", words[0], words[1]));
  }
  return keys;
}

}  // namespace

Result<> AllNodes::look(const OwnNode& own, const Moment& now) {
  own_ = own;
  own_.cluster = nullptr;
  looked_at_ = now.boot;
  cluster_ = own.cluster == nullptr || own.node.empty() ? "" : own.cluster->name;
  Problems problems;
  if (!has_begun_) problems.note(begin(now));
  problems.note(board_.read(own.node.empty() ? kept_.state.node : own.node));
  if (!has_begun_) return problems.first();
  auto record = kept_;
  if (record.decision) board_.hear(*record.decision);
  if (!is_under_way(record.state) && !own.node.empty()) record.state.node = own.node;
  if (!board_.keys().empty() && !cluster_.empty() && record.nonce.empty()) {
    problems.note(take_nonce(record));
  }
  hear(record, now);
  problems.note(take_ask(record, own.cluster, now));
  ring_timers(record, now);
  board_.forget_all_but(offers_of(record.state, true));
  problems.note(keep(std::move(record)));
  problems.note(put_board());
  if (is_ask_over() && !told_until_) told_until_ = now.boot + kToldFor;
  return problems.first();
}

Result<> AllNodes::begin(const Moment& now) {
  auto kept = read_all_nodes(host_.files);
  if (!kept && kept.error().code != ErrorCode::kInvalid) return std::unexpected(kept.error());
  const bool is_kept = kept && *kept;
  auto record = is_kept ? std::move(**kept) : AllNodesRecord();
  const auto boot = state::boot_id(host_);
  const bool is_reboot = boot.empty() || record.boot_id != boot;
  if (is_reboot) {
    record.began_at = now.boot;
    record.turned_at = milliseconds(0);
  }
  if (is_kept) {
    happen(record, events::Restarted{.is_reboot = is_reboot}, now);
  }
  // Words of before a file that was lost, or is from a backup, are not to count for newer ones.
  record.number = std::max<std::uint64_t>(
      record.number, static_cast<std::uint64_t>(now.wall.time_since_epoch().count()));
  record.boot_id = boot;
  if (!record.nonce.empty()) host_keys_ = read_host_keys(host_.files);
  if (auto written = keep(std::move(record)); !written) return written;
  has_begun_ = true;
  return kept ? Result<>{} : std::unexpected(kept.error());
}

// --- what happens

void AllNodes::happen(AllNodesRecord& record, const all_nodes::Event& event,
                      const Moment& now) const {
  const auto before = record.state;
  record.state = all_nodes::step(before, event, may_decide(record, now));
  const auto& after = record.state;
  if (!gone_in(after).empty() && gone_in(after) != gone_in(before)) {
    record.went_at = now.boot;
    record.tells_until = now.boot + 2 * within_of(record);
  }
  if (!begun_in(after).empty() && begun_in(after) != begun_in(before)) record.began_at = now.boot;
  if (work_of(after) == Work::kGoBack && work_of(before) != Work::kGoBack) {
    record.turned_at = now.boot;
  }
  if (id_of(after.part) == id_of(before.part)) return;
  record.taken_at = now.boot;
  record.taken.push_back(id_of(after.part));
  if (record.taken.size() > kMostTaken) record.taken.erase(record.taken.begin());
  const auto* const offer = board_.heard().offer(after.part->terms.origin, id_of(after.part));
  record.offer = offer == nullptr ? std::nullopt : std::optional(*offer);
}

bool AllNodes::may_take(const AllNodesRecord& record, const all_nodes::Offer& offer) const {
  const auto nonce = offer.nonces.find(record.state.node);
  if (nonce == offer.nonces.end() || offer.cluster != cluster_) return false;
  const bool is_mine = nonce->second == record.nonce || nonce->second == record.former_nonce;
  return is_mine && std::ranges::find(record.taken, offer.id) == record.taken.end();
}

/// What follows from one word may make another one count.
void AllNodes::hear(AllNodesRecord& record, const Moment& now) const {
  constexpr int kMostRounds = 4;
  State before;
  for (int round = 0; round < kMostRounds && before != record.state; ++round) {
    before = record.state;
    board_.heard().each([&](const std::string& node, const all_nodes::Statement& statement) {
      if (const auto* offer = std::get_if<all_nodes::Offer>(&statement)) {
        if (may_take(record, *offer)) happen(record, events::HeardOffer{terms_of(*offer)}, now);
      } else if (const auto* status = std::get_if<all_nodes::Status>(&statement)) {
        happen(record, events::HeardStatus{*status}, now);
      } else if (const auto* ordered = std::get_if<all_nodes::Ordered>(&statement)) {
        happen(record, events::HeardOrder{.origin = node, .ordered = *ordered}, now);
      }
    });
  }
}

Result<> AllNodes::tell(const all_nodes::Event& event, const Moment& now) {
  auto record = kept_;
  happen(record, event, now);
  if (auto kept = keep(std::move(record)); !kept) return kept;
  return put_board();
}

Result<> AllNodes::planned(const std::string& refused, all_nodes::PlanTold plan,
                           const Moment& now) {
  auto record = kept_;
  if (!record.state.part) return {};
  const auto& terms = record.state.part->terms;
  auto why = refused.empty() ? own_lack(terms.digest) : refused;
  for (const auto& node : terms.nodes) {
    if (why.empty() && node != record.state.node && !board_.keys().contains(node)) {
      why = no_key_of(node, record.state.node);
    }
  }
  for (auto* lines : {&plan.disturbs, &plan.jobs, &plan.steps}) {
    lines->resize(std::min(lines->size(), all_nodes::kMostLinesTold));
    for (auto& line : *lines) line = printable(line, all_nodes::kLongestText);
  }
  why = printable(why, all_nodes::kLongestText);
  happen(record, events::Planned{.offer = terms.id, .refused = why, .plan = std::move(plan)}, now);
  if (why.empty() && !board_.keys().empty()) {
    if (auto taken = take_nonce(record); !taken) return taken;
  }
  if (auto kept = keep(std::move(record)); !kept) return kept;
  return put_board();
}

Result<> AllNodes::applied(const Moment& now) {
  return tell(events::Applied{id_of(kept_.state.part)}, now);
}
Result<> AllNodes::not_applied(const std::string& why, const Moment& now) {
  return tell(events::NotApplied{.offer = id_of(kept_.state.part),
                                 .why = printable(why, all_nodes::kLongestText)},
              now);
}
Result<> AllNodes::judged(bool is_open, bool is_worse, const std::string& why, const Moment& now) {
  return tell(events::Judged{.offer = id_of(kept_.state.part),
                             .is_open = is_open,
                             .why = printable(why, all_nodes::kLongestText),
                             .is_worse = is_worse},
              now);
}
Result<> AllNodes::kept(const Moment& now) {
  return tell(events::Kept{id_of(kept_.state.part)}, now);
}
Result<> AllNodes::went_back(const Moment& now) {
  return tell(events::WentBack{id_of(kept_.state.part)}, now);
}

Result<> AllNodes::take_nonce(AllNodesRecord& record) {
  auto nonce = random_hex(kNonceBytes);
  if (!nonce) return std::unexpected(nonce.error());
  record.former_nonce = std::exchange(record.nonce, std::move(*nonce));
  host_keys_ = read_host_keys(host_.files);
  return {};
}

// --- what is asked here

Result<> AllNodes::take_ask(AllNodesRecord& record, const config::Cluster* cluster,
                            const Moment& now) {
  const auto remove = [&] { return host_.files.remove(protocol::kAllNodesAskFile); };
  const auto text = host_.files.read(protocol::kAllNodesAskFile);
  if (!text) return std::unexpected(text.error());
  const auto former = std::exchange(ask_id_, "");
  if (!*text) {
    pending_.reset();
    told_until_.reset();
    return {};
  }
  const auto ask = document_from_text<protocol::AllNodesAsk>(protocol::kAllNodesAskSchema, **text);
  if (!ask) {
    static_cast<void>(remove());  // what is wrong with it is what counts
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}': {}", protocol::kAllNodesAskFile, ask.error().what));
  }
  ask_id_ = ask->id;
  if (ask_id_ != former) told_until_.reset();
  if (told_until_ && *told_until_ <= now.boot) {
    told_until_.reset();
    ask_id_.clear();
    return remove();
  }
  if (refused_ && refused_->terms.id == ask->id) return {};
  if (id_of(record.state.led) == ask->id) {
    follow_ask(record, *ask, now);
    return {};
  }
  offer(record, *ask, cluster, now);
  return {};
}

void AllNodes::follow_ask(AllNodesRecord& record, const protocol::AllNodesAsk& ask,
                          const Moment& now) const {
  if (ask.wish == protocol::AllNodesWish::kApprove) {
    happen(record, events::Approved{ask.id}, now);
  } else if (ask.wish == protocol::AllNodesWish::kCancel) {
    happen(record, events::Cancelled{.offer = ask.id, .why = ask.by + " cancelled it"}, now);
  }
}

std::set<std::string> AllNodes::participants(const protocol::AllNodesAsk& ask,
                                             const config::Cluster& cluster) const {
  const auto wanted = config::parse(ask.text).cluster.nodes;
  std::set<std::string> nodes{own_.node};
  for (const auto& [name, node] : cluster.nodes) {
    const auto after = wanted.find(name);
    const bool is_away = after == wanted.end() ? node.away : after->second.away;
    if (!is_away && !ask.except.contains(name)) nodes.insert(name);
  }
  // A node that has no file yet takes none: it joins.
  for (const auto& [name, node] : wanted) {
    const bool has_file = board_.heard().presence(name) != nullptr;
    if (has_file && !node.away && !ask.except.contains(name)) nodes.insert(name);
  }
  return nodes;
}

bool AllNodes::is_waiting(const std::string& ask, const std::set<std::string>& nodes,
                          const Moment& now) {
  if (!pending_ || pending_->id != ask) {
    pending_ = {.id = ask, .since = now.boot};
    board_.ask(static_cast<std::uint64_t>(now.boot.count()));
  }
  // Of one that is no peer of this node, others pass on what it said.
  const bool are_heard = std::ranges::all_of(nodes, [&](const auto& node) {
    const bool is_peer = board_.is_peer(node);
    return node == own_.node || !board_.keys().contains(node) ||
           (board_.heard().presence(node) != nullptr && (!is_peer || board_.has_answered(node)));
  });
  return !are_heard && now.boot < pending_->since + kAskRest;
}

std::string AllNodes::own_lack(const std::string& digest) const {
  if (!own_.hindered.empty()) return own_.hindered;
  const bool is_another = !own_.changed.empty() && own_.changed != digest;
  return is_another
             ? "its file was edited, and is not the one offered: apply it there, or restore it"
             : "";
}

std::string AllNodes::lack_of(const std::string& node, const std::string& digest) const {
  if (node == own_.node) {
    const auto lack = own_lack(digest);
    return lack.empty() ? "" : node + ": " + lack;
  }
  if (!board_.keys().contains(node)) return no_key_of(node, own_.node);
  const auto* const presence = board_.heard().presence(node);
  if (presence == nullptr || (board_.is_peer(node) && !board_.has_answered(node))) {
    return fmt::format(
        "{0}: is it on, does its version know --all, and is its key still the one that is known "
        "here (`sudo spark-reconcile join` on both)? `--except {1}` leaves it out",
        not_answering({node}), node);
  }
  if (presence->version != all_nodes::kVersion) {
    return node + " runs a version that knows another --all: install the same on all nodes";
  }
  if (presence->cluster != cluster_) {
    return fmt::format("{} is of another cluster ({})", node, in_quotes(presence->cluster));
  }
  return presence->hindered.empty() ? "" : node + ": " + presence->hindered;
}

std::string AllNodes::lacks_of(const std::set<std::string>& nodes, all_nodes::Offer& offer) const {
  std::vector<std::string> lacks;
  for (const auto& node : nodes) {
    if (auto lack = lack_of(node, offer.digest); !lack.empty()) lacks.push_back(std::move(lack));
    const auto* const presence = board_.heard().presence(node);
    if (presence != nullptr) offer.nonces[node] = presence->nonce;
  }
  if (lacks.empty() && !board_.has_room_for(offer)) {
    lacks.emplace_back("the file is too large to be offered to so many nodes");
  }
  return fmt::format("{}", fmt::join(lacks, "; "));
}

std::string AllNodes::refusal_of(const State& state, const protocol::AllNodesAsk& ask) const {
  if (cluster_.empty()) {
    return "no file is in force here: `sudo spark-reconcile apply` puts one in force";
  }
  if (ask.wish == protocol::AllNodesWish::kCancel) return ask.by + " cancelled it";
  if (ask.wish == protocol::AllNodesWish::kApprove) {
    return "the daemon of this node knows nothing of it any more: run it again";
  }
  if (is_under_way(state)) {
    const bool is_part = state.part && !has_ended(state.part->stage);
    const auto& terms = is_part ? state.part->terms : state.led->terms;
    return under_way_text(terms);
  }
  return ask.text.size() > all_nodes::kMostOfferBytes ? "the file has more than 256 KiB" : "";
}

void AllNodes::offer(AllNodesRecord& record, const protocol::AllNodesAsk& ask,
                     const config::Cluster* cluster, const Moment& now) {
  all_nodes::Offer offer{.id = ask.id,
                         .origin = record.state.node,
                         .by = ask.by,
                         .change_id = ask.change_id,
                         .cluster = cluster_,
                         .digest = sha256_of(ask.text),
                         .text = ask.text,
                         .rejects = ask.rejects,
                         .nonces = {{record.state.node, record.nonce}},
                         .within = std::clamp<milliseconds>(ask.within, protocol::kLeastWithin,
                                                            protocol::kMostWithin)};
  auto why = refusal_of(record.state, ask);
  if (why.empty()) {
    const auto nodes = participants(ask, *cluster);
    if (is_waiting(ask.id, nodes, now)) return;
    why = lacks_of(nodes, offer);
  }
  pending_.reset();
  if (!why.empty()) {
    refused_ = all_nodes::Progress{.terms = terms_of(offer),
                                   .order = Order::kBack,
                                   .why = std::move(why),
                                   .until = std::nullopt,
                                   .nodes = {{.node = own_.node}}};
    return;
  }
  happen(record, events::Asked{terms_of(offer)}, now);
  record.offer = std::move(offer);
}

bool AllNodes::is_ask_over() const {
  if (ask_id_.empty()) return false;
  if (refused_ && refused_->terms.id == ask_id_) return true;
  const auto& part = kept_.state.part;
  return id_of(kept_.state.led) == ask_id_ && undecided(kept_.state) == nullptr &&
         (id_of(part) != ask_id_ || has_ended(part->stage));
}

// --- time

std::vector<AllNodes::Timer> AllNodes::timers(const AllNodesRecord& record) const {
  std::vector<Timer> timers;
  const auto& state = record.state;
  const bool is_ended = !state.part || has_ended(state.part->stage);
  if (state.led && is_ended && is_under_way(state)) {
    timers.push_back({record.tells_until, events::Expired{id_of(state.led)}});
  }
  if (is_ended) return timers;
  const auto& terms = state.part->terms;
  const auto stage = state.part->stage;
  const auto* const led = undecided(state);
  if (led != nullptr && led->order == Order::kNone) {
    const auto silent = silent_nodes(*led);
    if (!silent.empty()) {
      timers.push_back({record.taken_at + protocol::kAnswerWithin,
                        events::Cancelled{.offer = terms.id, .why = not_answering(silent)}});
    }
    timers.push_back({record.taken_at + protocol::kApproveWithin,
                      events::Cancelled{terms.id, "nobody said yes within 5 min"}});
  } else if (led != nullptr) {
    timers.push_back({decision_ends(record), events::Cancelled{terms.id, too_late_text(*led)}});
  } else if (stage == Stage::kHeard || stage == Stage::kYes) {
    timers.push_back({record.taken_at + protocol::kApproveWithin + protocol::kAnswerWithin,
                      events::Expired{terms.id}});
  }
  if (is_timed(state)) {
    const bool is_asked = last_ask_.first == terms.id;
    const bool is_answered = std::ranges::all_of(terms.nodes, [&](const auto& node) {
      return node == state.node || board_.has_answered(node);
    });
    const auto rest = is_answered ? milliseconds(0) : milliseconds(kAskRest);
    timers.push_back(
        {is_asked ? last_ask_.second + rest : timer_ends(record), events::Expired{terms.id}});
  }
  return timers;
}

void AllNodes::ring_timers(AllNodesRecord& record, const Moment& now) {
  const auto ends = timer_ends(record);
  const auto id = id_of(record.state.part);
  if (is_timed(record.state) && ends <= now.boot && last_ask_.first != id) {
    board_.ask(static_cast<std::uint64_t>(now.boot.count()));
    last_ask_ = {id, now.boot};
  }
  for (const auto& timer : timers(record)) {
    if (timer.at <= now.boot) happen(record, timer.event, now);
  }
  const auto until = later(now, ends - now.boot);
  if (!is_timed(record.state)) {
    until_.reset();
  } else if (!until_ || until_->boot != ends ||
             std::chrono::abs(until_->wall - until.wall) > std::chrono::seconds(1)) {
    until_ = until;  // else it is the same, and the two clocks were read one after the other
  }
}

std::optional<milliseconds> AllNodes::next_due() const {
  std::vector<milliseconds> due;
  for (const auto& timer : timers(kept_)) due.push_back(timer.at);
  if (pending_) due.push_back(pending_->since + kAskRest);
  if (told_until_) due.push_back(*told_until_);
  const auto rested = rest_ends(work_of(kept_.state));
  if (rested && *rested > looked_at_) due.push_back(*rested);
  const auto first = std::ranges::min_element(due);
  return first == due.end() ? std::nullopt : std::optional(*first);
}

// --- what follows

all_nodes::Work AllNodes::work(const Moment& now) const {
  const auto work = work_of(kept_.state);
  const auto until = rest_ends(work);
  if (!until || now.boot >= *until) return work;
  const auto& terms = kept_.state.part->terms;
  // Who went back may not be heard any more.
  const auto enough = work == Work::kApply ? Stage::kGoing : Stage::kBack;
  const bool are_there = std::ranges::all_of(terms.nodes, [&](const auto& node) {
    const auto* const status = board_.heard().status(node, terms.id);
    return node == kept_.state.node || (status != nullptr && status->stage >= enough);
  });
  return are_there ? work : Work::kNone;
}

/// Until when this node waits for the others to hear of it, before it changes what may cut them
/// off. Empty: it does not.
std::optional<milliseconds> AllNodes::rest_ends(Work work) const {
  if (work == Work::kApply) return kept_.began_at + kHeardRest;
  const bool is_origin = id_of(kept_.state.led) == id_of(kept_.state.part);
  if (work != Work::kGoBack || !is_origin) return std::nullopt;
  return std::min(kept_.turned_at + kHeardRest, timer_ends(kept_));
}

const OfferedFile* AllNodes::offered() const { return offered_ ? &*offered_ : nullptr; }

AllNodesBoard::Statements AllNodes::own_words(const AllNodesRecord& record) const {
  AllNodesBoard::Statements words;
  if (!cluster_.empty() && !record.nonce.empty()) {
    words.emplace_back(all_nodes::Presence{.node = own_.node,
                                           .cluster = cluster_,
                                           .nonce = record.nonce,
                                           .hindered = own_.hindered,
                                           .host_keys = host_keys_});
  }
  const auto said = words_of(record.state);
  words.insert(words.end(), said.statuses.begin(), said.statuses.end());
  words.insert(words.end(), said.orders.begin(), said.orders.end());
  if (undecided(record.state) != nullptr && record.offer) words.emplace_back(*record.offer);
  return words;
}

Result<> AllNodes::keep(AllNodesRecord record) {
  const auto& part = record.state.part;
  if (part && has_ended(part->stage)) record.offer.reset();
  if (!part || part->order != Order::kKeep) {
    record.decision.reset();
  } else if (const auto* said = board_.heard().order_as_said(part->terms.origin, id_of(part))) {
    record.decision = *said;
  }
  auto words = own_words(record);
  const bool says_else = !board_.says(words);
  if (says_else) ++record.number;
  const bool is_blank = record.nonce.empty() && !record.state.part && !record.state.led;
  if (record != kept_ && !is_blank) {
    if (auto written = write_all_nodes(host_.files, record); !written) return written;
  }
  kept_ = std::move(record);
  if (says_else) board_.say(std::move(words), kept_.state.node, kept_.number);
  const auto& offer = kept_.offer;
  if (!offer) {
    offered_.reset();
  } else if (!offered_ || offered_->offer != offer->id) {
    offered_ = OfferedFile{.offer = offer->id,
                           .by = fmt::format("{} on {}", offer->by, offer->origin),
                           .change_id = offer->change_id,
                           .digest = offer->digest,
                           .text = offer->text,
                           .rejects = offer->rejects};
  }
  return {};
}

Result<> AllNodes::put_board() {
  const bool is_live = is_under_way(kept_.state) || pending_;
  return board_.put(is_live, offers_of(kept_.state, false));
}

// --- for others

bool AllNodes::is_together(const config::Cluster& cluster) const {
  // Where they cannot be read they may be: what is taken alone cannot be decided together any more.
  const bool are_known =
      !board_.are_keys_read() || std::ranges::all_of(cluster.nodes, [&](const auto& node) {
        return node.first == own_.node || board_.keys().contains(node.first);
      });
  return are_known && cluster.nodes.size() > 1;
}

all_nodes::NodeProgress AllNodes::node_progress(const std::string& node,
                                                const std::string& offer) const {
  all_nodes::NodeProgress progress{.node = node, .stage = std::nullopt};
  const auto& part = kept_.state.part;
  if (node == kept_.state.node) {
    if (id_of(part) != offer) {
      // Another one is taken here: this one had ended, or yielded before anybody had begun.
      const auto& stages = kept_.state.led->stages;
      const auto known = stages.find(node);
      const bool had_ended = known != stages.end() && known->second >= Stage::kKept;
      progress.stage = had_ended ? known->second : Stage::kRefused;
    } else {
      progress = {.node = node, .stage = part->stage, .why = part->why, .plan = part->plan};
    }
  } else if (const auto* status = board_.heard().status(node, offer)) {
    progress = {.node = node, .stage = status->stage, .why = status->why, .plan = status->plan};
  }
  return progress;
}

std::optional<all_nodes::Progress> AllNodes::progress() const {
  if (refused_ && refused_->terms.id == ask_id_) return refused_;
  const auto& part = kept_.state.part;
  const auto& led = kept_.state.led;
  const bool is_asked_here = !ask_id_.empty() && id_of(led) == ask_id_;
  if (!part && !led) return std::nullopt;
  all_nodes::Progress progress;
  if (led && (!part || id_of(part) == id_of(led) || is_asked_here)) {
    progress = {.terms = led->terms, .order = led->order, .why = led->why};
  } else {
    const auto* const ordered = board_.heard().ordered(part->terms.origin, id_of(part));
    progress = {.terms = part->terms,
                .order = part->order,
                .why = ordered == nullptr ? part->why : ordered->why};
  }
  const auto& id = progress.terms.id;
  if (id == id_of(part)) progress.until = until_;
  const auto& self = kept_.state.node;
  progress.nodes.push_back(node_progress(self, id));
  for (const auto& node : progress.terms.nodes) {
    if (node != self) progress.nodes.push_back(node_progress(node, id));
  }
  return progress;
}

std::map<std::string, std::vector<std::string>> AllNodes::host_keys() const {
  std::map<std::string, std::vector<std::string>> keys;
  for (const auto& [node, key] : board_.keys()) {
    const auto* const presence = board_.heard().presence(node);
    if (presence != nullptr) keys.emplace(node, presence->host_keys);
  }
  return keys;
}

}  // namespace spark::daemon
