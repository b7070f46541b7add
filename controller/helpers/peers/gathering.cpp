#include "helpers/peers/gathering.hpp"

#include <algorithm>

#include "signing/node_key.hpp"

namespace spark::helpers {
namespace {

using protocol::CageSeen;
using protocol::CageState;
using protocol::DiscoverFrame;
using protocol::NodeRecord;

/// In one round over one link.
constexpr std::size_t kPiecesInARound = 16;
/// A record that is gone is remembered for so long, so that what others still pass on of it does
/// not bring it back.
constexpr std::chrono::milliseconds kForgottenAfter{30'000};

/// Another one, with nothing in it yet.
DiscoverFrame& frame_in(std::vector<DiscoverFrame>& frames, const std::string& run) {
  auto& frame = frames.emplace_back();
  frame.run = run;
  return frame;
}

}  // namespace

Gathering::Gathering(protocol::DiscoverTask task)
    : task_(std::move(task)),
      self_{.node = task_.node,
            .run = task_.run,
            .commitment = task_.commitment,
            .is_founder = task_.is_founder,
            .own_file = task_.own_file,
            .lan = task_.lan,
            .subnets = task_.subnets},
      offers_(task_.is_founder) {
  for (const auto& link : task_.links) states_[link.cage] = CageState::kDown;
}

void Gathering::take(int cage, const DiscoverFrame& frame, Time now) {
  if (!states_.contains(cage)) return;
  note_end(cage, frame, now);
  if (frame.record) note_record(*frame.record, now);
  if (frame.opening) note_opening(*frame.opening);
  if (frame.consent) note_consent(*frame.consent);
  follow_founder(now);
  if (frame.chunk) assembly_.take(*frame.chunk);
}

void Gathering::take(const protocol::DiscoverOrder& order) {
  if (!order.offer.empty() && (offers_ || !task_.own_file.empty())) {
    offers_ = true;
    pieces_ = chunks_of(order.offer);
    file_ = pieces_.empty() ? std::string() : pieces_.front().file;
  }
  if (order.opening) opening_ = order.opening;
  if (!order.transcript.empty()) transcript_ = order.transcript;
  if (order.consent) consent_ = order.consent;
  // Another offer may have come meanwhile, of which nobody was asked yet.
  refuses_ = refuses_ || (!order.refuses.empty() && order.refuses == file_);
}

void Gathering::set_state(int cage, CageState state) { states_[cage] = state; }

void Gathering::note_end(int cage, const DiscoverFrame& frame, Time now) {
  // The two rails of a cage may hear each other: that is no cable.
  if (frame.run == task_.run && frame.cage == cage) return;
  auto& ends = heard_[cage];
  std::erase_if(ends, [&](const auto& end) { return now - end.second > kEndSilentAfter; });
  const std::pair key(frame.run, frame.cage);
  if (ends.contains(key) || ends.size() < kMostPlaces) ends[key] = now;
}

void Gathering::note_record(const NodeRecord& record, Time now) {
  if (record.run == task_.run) {
    if (!is_of_one_source(record, self_)) disputed_.insert(task_.node);
    return;
  }
  std::erase_if(places_,
                [&](const auto& place) { return now - place.second.advanced > kForgottenAfter; });
  const auto found = places_.find(record.run);
  if (found == places_.end()) {
    if (places_.size() >= kMostPlaces) {
      std::erase_if(places_, [&](const auto& place) { return !is_live(place.second, now); });
    }
    if (places_.size() < kMostPlaces) {
      places_[record.run] = {.record = record, .advanced = now};
    }
  } else if (!is_of_one_source(record, found->second.record)) {
    disputed_.insert(found->second.record.node);
  } else if (record.sequence > found->second.record.sequence) {
    found->second.record = record;
    found->second.advanced = now;
  }
}

void Gathering::note_opening(const protocol::Opening& opening) {
  const auto place = places_.find(opening.run);
  if (place == places_.end()) return;
  const auto& record = place->second.record;
  if (commitment_of(record.node, opening) == record.commitment) place->second.opening = opening;
}

void Gathering::note_consent(const protocol::Consent& consent) {
  const auto place = places_.find(consent.run);
  if (place == places_.end() || !place->second.opening || transcript_.empty()) return;
  const auto text = protocol::consent_text(consent.run, transcript_);
  if (signing::is_signed_by(place->second.opening->key, text, consent.signature)) {
    place->second.consent = consent;
  }
}

bool Gathering::is_fresh(const Place& place, Time now) const {
  return now - place.advanced <= kNodeGoneAfter;
}

bool Gathering::is_live(const Place& place, Time now) const {
  return is_fresh(place, now) && !place.record.is_gone;
}

std::vector<NodeRecord> Gathering::live(Time now) const {
  std::vector<NodeRecord> records;
  for (const auto& [run, place] : places_) {
    if (is_live(place, now)) records.push_back(place.record);
  }
  std::ranges::sort(records, {}, [](const NodeRecord& r) { return std::pair(r.node, r.run); });
  return records;
}

std::string Gathering::name_of(const std::string& run, Time now) const {
  if (run == task_.run) return task_.node;
  const auto found = places_.find(run);
  return found == places_.end() || !is_live(found->second, now) ? "" : found->second.record.node;
}

NodeRecord Gathering::own_record(Time now) const {
  auto own = self_;
  own.sequence = sequence_;
  own.file = file_;
  own.refuses = refuses_;
  own.is_gone = is_gone_;
  std::size_t told = 0;
  for (const auto& [cage, state] : states_) {
    CageSeen seen{.cage = cage, .state = state};
    const auto ends = heard_.find(cage);
    for (const auto& [end, when] : ends == heard_.end() ? Ends{} : ends->second) {
      const auto name = name_of(end.first, now);
      if (name.empty() || now - when > kEndSilentAfter || told >= protocol::kMostEndsHeard) {
        continue;
      }
      seen.hears.push_back({.node = name, .cage = end.second});
      ++told;
    }
    std::ranges::sort(seen.hears);
    own.cages.push_back(std::move(seen));
  }
  return own;
}

const NodeRecord* Gathering::founder(Time now) const {
  const NodeRecord* found = nullptr;
  const NodeRecord* first = nullptr;  // of those that keep their files
  for (const auto& [run, place] : places_) {
    const auto& record = place.record;
    if (!is_live(place, now)) continue;
    if (!record.own_file.empty() && (first == nullptr || record.node < first->node)) {
      first = &record;
    }
    if (!record.is_founder) continue;
    if (found != nullptr) return nullptr;
    found = &record;
  }
  const bool follows_first =
      found == nullptr && first != nullptr && !task_.own_file.empty() && first->node < task_.node;
  return follows_first ? first : found;
}

void Gathering::follow_founder(Time now) {
  if (offers_) return;
  const auto* leader = founder(now);
  if (leader == nullptr || leader->file.empty() || leader->file == assembly_.wanted()) return;
  assembly_.want(leader->file);
  pieces_.clear();
  file_.clear();
  refuses_ = false;
}

std::optional<protocol::DiscoverFile> Gathering::new_file(Time now) {
  const auto* leader = offers_ ? nullptr : founder(now);
  const auto& text = assembly_.text();
  if (leader == nullptr || !text || leader->file != assembly_.wanted()) return std::nullopt;
  const std::pair key(leader->run, leader->file);
  if (key == handed_over_) return std::nullopt;
  handed_over_ = key;
  pieces_ = chunks_of(*text);
  file_ = leader->file;
  refuses_ = false;
  return protocol::DiscoverFile{.founder = leader->run, .text = *text};
}

void Gathering::add_pieces(const std::vector<NodeRecord>& others,
                           std::vector<DiscoverFrame>& frames) {
  const bool is_missing =
      std::ranges::any_of(others, [&](const NodeRecord& record) { return record.file != file_; });
  if (!is_missing || pieces_.empty()) return;
  for (std::size_t i = 0; i < std::min(kPiecesInARound, pieces_.size()); ++i) {
    next_piece_ = (next_piece_ + 1) % pieces_.size();
    frame_in(frames, task_.run).chunk = pieces_[next_piece_];
  }
}

std::vector<DiscoverFrame> Gathering::next_round(Time now) {
  ++sequence_;
  const auto others = live(now);
  std::vector<DiscoverFrame> frames;
  const auto from_here = [&]() -> DiscoverFrame& { return frame_in(frames, task_.run); };
  from_here().record = own_record(now);
  if (opening_) from_here().opening = opening_;
  if (consent_) from_here().consent = consent_;
  for (const auto& [run, place] : places_) {
    if (!is_fresh(place, now)) continue;
    from_here().record = place.record;
    if (place.opening) from_here().opening = place.opening;
    if (place.consent) from_here().consent = place.consent;
  }
  add_pieces(others, frames);
  return frames;
}

protocol::DiscoverSeen Gathering::seen(Time now) const {
  protocol::DiscoverSeen seen{.nodes = {own_record(now)},
                              .disputed = {disputed_.begin(), disputed_.end()}};
  for (auto& record : live(now)) seen.nodes.push_back(std::move(record));
  for (auto& record : seen.nodes) record.sequence = 0;
  for (const auto& [run, place] : places_) {
    if (place.opening) seen.openings.push_back(*place.opening);
    if (place.consent) seen.consents.push_back(*place.consent);
  }
  return seen;
}

}  // namespace spark::helpers
