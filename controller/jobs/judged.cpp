#include "jobs/judged.hpp"

#include <algorithm>

namespace spark::jobs {
namespace {

/// It stands until it ends.
bool is_state(Sign sign) { return sign <= Sign::kRdmaFailed; }

/// The machine at the other end can be the reason.
bool may_be_a_machine(Sign sign) {
  return sign == Sign::kCarrierLost || sign == Sign::kPeerSilent || sign == Sign::kRdmaFailed;
}

/// At about that time it began, or it still stood: what fails after it comes of it.
bool stands_at(const Placed& placed, Time at) {
  const auto& lasted = placed.sign->lasted;
  return placed.at <= at + kTogether && (!lasted || placed.at + *lasted >= at - kTogether);
}

/// RDMA over the address ends with it at once, and a job may wait for long before it ends. With
/// another MTU it ends soon, or works on.
bool ends_queue_pairs(Sign sign) {
  return is_state(sign) || sign == Sign::kAddressGone || sign == Sign::kGidMoved;
}

bool may_have_ended_it(const Question& question, const Placed& placed) {
  const auto begins = earliest_end(question) - kAround;
  const auto& sign = *placed.sign;
  if (!is_fault(sign.sign) || placed.at > question.at + kClocks) return false;
  if (sign.lasted && placed.at + *sign.lasted < begins) return false;
  if (placed.at >= begins) return !question.job || placed.at >= question.job->began;
  // What was so before the job began did not end it.
  return question.job ? placed.at >= question.job->began && ends_queue_pairs(sign.sign)
                      : is_state(sign.sign);
}

/// All ways between this node and `peer` lost the same at about that time.
bool is_whole_peer(const std::string& peer, const Placed& placed, const Question& question,
                   const Records& records) {
  const bool is_own = records.is_own(*placed.node);
  return std::ranges::all_of(question.ways, [&](const Way& way) {
    if (way.peer != peer) return true;
    return std::ranges::any_of(records.placed(), [&](const Placed& same) {
      return same.node == placed.node && may_be_a_machine(same.sign->sign) &&
             same.sign->link == (is_own ? way.link : way.peer_link) && stands_at(same, placed.at);
    });
  });
}

void sort_in(const Placed& placed, const Question& question, const Records& records,
             Judged& judged) {
  const auto ways = records.ways_of(placed);
  const auto used =
      std::ranges::find_if(ways, [&](const Way& way) { return records.is_used(way); });
  if (used == ways.end()) {
    if (!ways.empty()) judged.unused.push_back(placed);
    return;
  }
  if (may_be_a_machine(placed.sign->sign)) {
    const auto other = records.is_own(*placed.node) ? used->peer : records.own();
    if (const auto restart = records.restart_after(other, placed.at)) {
      judged.restarts.emplace(other, *restart);
      return;
    }
    if (is_whole_peer(used->peer, placed, question, records) &&
        !records.knows(other, placed.at + kTogether)) {
      if (!judged.undecided) {
        judged.undecided = placed;
        judged.undecided_node = other;
      }
      return;
    }
  }
  const bool is_late = question.job && placed.at > earliest_end(question) + kClocks;
  (is_late ? judged.late : judged.faults).push_back(placed);
}

}  // namespace

Judged judge(const Question& question, const Records& records) {
  Judged judged;
  for (const auto& placed : records.placed()) {
    if (may_have_ended_it(question, placed)) sort_in(placed, question, records, judged);
  }
  return judged;
}

}  // namespace spark::jobs
