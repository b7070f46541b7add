#include "jobs/answer.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "jobs/judged.hpp"
#include "jobs/sign_text.hpp"

namespace spark::jobs {
namespace {

using std::chrono::milliseconds;

/// So far from the end an echo still says something, and a sign of a clock that is not known may be
/// of then.
constexpr std::chrono::minutes kFarthest{10};

struct Scene {
  const Question& question;
  const Records& records;
  const Judged& judged;
  bool with_cage = false;           ///< rails of two cages are named
  std::optional<Time> own_restart;  ///< this machine, in the gap of its record
};

bool has_two_cages(const Question& question) {
  std::set<int> cages;
  for (const auto& way : question.ways) {
    if (way.rail) cages.insert(way.rail->cage);
    if (way.peer_rail) cages.insert(way.peer_rail->cage);
  }
  return cages.size() > 1;
}

/// What ends more jobs than the network does: on unified memory a GPU and its machine run out of
/// the same.
std::vector<std::string> not_judged(const Scene& scene) {
  constexpr std::chrono::seconds kBefore{60};
  std::vector<std::string> texts;
  for (const auto& placed : scene.records.placed()) {
    const auto sign = placed.sign->sign;
    const bool is_near = placed.at >= scene.question.at - scene.question.lasts - kBefore &&
                         placed.at <= scene.question.at + kTogether;
    if (is_near && (sign == Sign::kOutOfMemory || sign == Sign::kXid)) {
      texts.push_back("seen, not judged: " + sentence_of(placed, scene.with_cage));
    }
  }
  return texts;
}

std::string sentence(const std::vector<std::string>& parts) {
  return fmt::format("{}.", fmt::join(parts, "; "));
}

/// Of the last fault that is shown. Empty: it was in the minute that is asked about.
std::string until_the_end(const Scene& scene, Time fault) {
  const auto& question = scene.question;
  const auto end = question.at - question.lasts;
  if (question.lasts.count() > 0 && fault >= end) return {};
  const auto before = short_duration(std::max<milliseconds>(end - fault, {}));
  if (!question.job) return fmt::format("that was {} before {}", before, clock_text(end));
  const bool is_exact = end - earliest_end(question) <= kClocks;
  return fmt::format("the job ended {} later{}", before, is_exact ? "" : " at most");
}

std::string fault_line(const Scene& scene) {
  constexpr std::size_t kShown = 3;
  const auto& faults = scene.judged.faults;
  std::vector<std::string> parts;
  for (const auto& fault : faults) {
    if (parts.size() == kShown) break;
    parts.push_back(sentence_of(fault, scene.with_cage));
  }
  if (faults.size() > kShown) parts.push_back(fmt::format("{} more", faults.size() - kShown));
  const auto& last = faults[std::min(faults.size(), kShown) - 1];
  if (auto text = until_the_end(scene, last.at); !text.empty()) parts.push_back(std::move(text));
  std::ranges::move(not_judged(scene), std::back_inserter(parts));
  return sentence(parts);
}

std::string undecided_line(const Scene& scene) {
  const auto other = printable(scene.judged.undecided_node);
  return fmt::format(
      "{}, as all rails to {}, of which nothing is known since: whether the cables failed or that "
      "machine cannot be told.",
      sentence_of(*scene.judged.undecided, scene.with_cage), other);
}

std::string late_line(const Scene& scene) {
  return fmt::format(
      "{}; the job was last seen at {}, and was gone at {}: whether it ended before that or after "
      "cannot be told.",
      sentence_of(scene.judged.late.front(), scene.with_cage),
      clock_text(scene.question.job->last_seen), clock_text(scene.question.at));
}

/// How far from the end each rail of the job had its echo, on that side. Empty: one had none.
std::optional<milliseconds> echo_distance(const Scene& scene, bool before) {
  std::optional<milliseconds> farthest;
  for (const auto& way : scene.question.ways) {
    if (!scene.records.is_used(way)) continue;
    std::optional<milliseconds> nearest;
    for (const auto& placed : scene.records.placed()) {
      const bool is_its_echo = placed.sign->sign == Sign::kEcho &&
                               scene.records.is_own(*placed.node) && placed.sign->link == way.link;
      const auto distance = before ? scene.question.at - placed.at : placed.at - scene.question.at;
      if (is_its_echo && distance >= milliseconds(0) && distance <= kFarthest) {
        nearest = std::min(nearest.value_or(distance), distance);
      }
    }
    if (!nearest) return std::nullopt;
    farthest = std::max(farthest.value_or(*nearest), *nearest);
  }
  return farthest;
}

std::string echo_text(const Scene& scene) {
  const auto before = echo_distance(scene, true);
  const auto after = echo_distance(scene, false);
  if (before && after) {
    return fmt::format("the echo passed {} before and {} after", short_duration(*before),
                       short_duration(*after));
  }
  if (before) {
    return fmt::format("the echo passed {} before, and none is recorded after",
                       short_duration(*before));
  }
  if (after) {
    return fmt::format("no echo is recorded before, and one passed {} after",
                       short_duration(*after));
  }
  return "no echo is recorded around it";
}

std::string proof_text(const Scene& scene) {
  std::optional<Time> last;
  for (const auto& placed : scene.records.placed()) {
    const auto ways = scene.records.ways_of(placed);
    const bool is_proof =
        placed.sign->sign == Sign::kRdmaProven && scene.records.is_own(*placed.node) &&
        std::ranges::any_of(ways, [&](const Way& way) { return scene.records.is_used(way); });
    if (is_proof && placed.at <= scene.question.at) last = placed.at;
  }
  if (!last) return "no proof of RDMA is recorded";
  const bool is_before_job = scene.question.job && *last < scene.question.job->began;
  return fmt::format("RDMA last proven {}{}", clock_text(*last),
                     is_before_job ? ", before the job" : "");
}

std::string no_fault_line(const Scene& scene) {
  std::vector<std::string> parts{"No network fault was recorded"};
  if (scene.own_restart) {
    parts.push_back(fmt::format("{} itself went down, and started again at {}",
                                printable(scene.records.own()), clock_text(*scene.own_restart)));
  }
  for (const auto& [node, at] : scene.judged.restarts) {
    if (scene.own_restart && node == scene.records.own()) continue;
    parts.push_back(
        fmt::format("{} went down, and started again at {}", printable(node), clock_text(at)));
  }
  parts.push_back(echo_text(scene));
  parts.push_back(proof_text(scene));
  if (!scene.judged.unused.empty()) {
    parts.push_back("on a rail that the job did not use: " +
                    sentence_of(scene.judged.unused.front(), scene.with_cage));
  }
  std::ranges::move(not_judged(scene), std::back_inserter(parts));
  std::set<std::string> missing;
  for (const auto& way : scene.question.ways) {
    const bool is_known = scene.records.knows(way.peer, scene.question.at) ||
                          scene.judged.restarts.contains(way.peer);
    if (scene.records.is_used(way) && !is_known) missing.insert(printable(way.peer));
  }
  if (!missing.empty()) {
    parts.push_back(fmt::format("what {} recorded then is not known",
                                listed({missing.begin(), missing.end()})));
  }
  return sentence(parts);
}

/// Of nodes whose clock is not known: that a fault was recorded which may be of then. Empty: none.
std::string unplaced_fault(const Scene& scene) {
  for (const auto& record : scene.question.nodes) {
    if (record.ahead) continue;
    for (const auto& sign : record.signs) {
      const auto as_it_says = scene.records.place(record, sign, sign.at);
      const auto ways = scene.records.ways_of(as_it_says);
      const bool is_used =
          std::ranges::any_of(ways, [&](const Way& way) { return scene.records.is_used(way); });
      const auto distance = std::chrono::abs(sign.at - scene.question.at);
      if (is_fault(sign.sign) && is_used && distance <= kFarthest) {
        return fmt::format("{} by a clock that is not known: whether that was then cannot be told.",
                           sentence_of(as_it_says, scene.with_cage));
      }
    }
  }
  return {};
}

/// Before the first that is kept nobody knows whether a daemon ran.
std::string_view why_unknown(const Question& question, const Span& gap) {
  if (question.nodes.empty() || question.nodes.front().covered.empty()) return "there is no record";
  const auto first = std::ranges::min(question.nodes.front().covered, {}, &Span::from).from;
  return first >= gap.to ? "the record begins later" : "the daemon was down";
}

std::vector<std::string> notes_of_clocks(const Question& question) {
  std::vector<std::string> notes;
  for (const auto& node : question.nodes) {
    const auto name = printable(node.node);
    if (!node.ahead) {
      notes.push_back(
          fmt::format("the clock of {} is not known: what it recorded is left out", name));
    } else if (std::chrono::abs(*node.ahead) > kClocks) {
      notes.push_back(fmt::format("the clock of {} was {} {}: its times are shown by this node's",
                                  name, short_duration(std::chrono::abs(*node.ahead)),
                                  node.ahead->count() > 0 ? "ahead" : "behind"));
    }
  }
  return notes;
}

std::vector<AnswerLine> lines_around(const Scene& scene) {
  std::vector<AnswerLine> lines;
  for (const auto& placed : scene.records.placed()) {
    const auto begin = scene.question.at - scene.question.lasts - kAround;
    if (placed.at < begin || placed.at > scene.question.at + kAround) continue;
    lines.push_back({.at = placed.at,
                     .node = printable(placed.node->node),
                     .link = printable(placed.sign->link),
                     .sign = placed.sign->sign,
                     .text = clause_of(placed, scene.with_cage)});
  }
  return lines;
}

}  // namespace

Answer was_it_the_network(const Question& question) {
  const Records records(question);
  const auto judged = judge(question, records);
  const Span asked{.from = question.at - question.lasts - kAround, .to = question.at + kAround};
  const auto gap = records.gap_in({.from = earliest_end(question) - kAround, .to = question.at});
  Scene scene{.question = question,
              .records = records,
              .judged = judged,
              .with_cage = has_two_cages(question),
              .own_restart = {}};
  // Whether a fault came before its end or after it cannot be told then.
  const bool is_end_open =
      question.job && records.gap_in({.from = earliest_end(question), .to = question.at});
  const bool has_fault = !judged.faults.empty() || !judged.late.empty() || judged.undecided;
  if (gap) scene.own_restart = records.restart_after(records.own(), gap->from);
  Answer answer{.kind = Answer::Kind::kNotKnown,
                .line = "",
                .notes = notes_of_clocks(question),
                .lines = lines_around(scene)};
  if (!judged.faults.empty() && !is_end_open) {
    answer.kind = Answer::Kind::kFault;
    answer.line = fault_line(scene);
  } else if (judged.undecided && !is_end_open) {
    answer.line = undecided_line(scene);
  } else if (!judged.late.empty() && !is_end_open) {
    answer.line = late_line(scene);
  } else if (gap && (!scene.own_restart || has_fault)) {
    const auto whole = is_end_open ? *gap : records.gap_in(asked).value_or(*gap);
    answer.line = fmt::format("Nothing is known of {} to {}: {}.", clock_text(whole.from),
                              clock_text(whole.to), why_unknown(question, whole));
  } else if (auto line = unplaced_fault(scene); !line.empty()) {
    answer.line = std::move(line);
  } else {
    answer.kind = Answer::Kind::kNoFault;
    answer.line = no_fault_line(scene);
  }
  return answer;
}

}  // namespace spark::jobs
