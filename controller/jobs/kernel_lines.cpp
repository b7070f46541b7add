#include "jobs/kernel_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "jobs/sign_log.hpp"

namespace spark::jobs {
namespace {

struct JournalEntry {
  std::string message;
  std::string time;  ///< microseconds since 1970
};

template <EitherConst<JournalEntry> T, class Visit>
void each_field(T& entry, Visit visit) {
  visit("MESSAGE", entry.message);
  visit("__REALTIME_TIMESTAMP", entry.time);
}

template <class Words>
bool names_one_of(std::string_view text, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
}

/// The kernel says it in several lines, one of them with the process that it ends (mm/oom_kill.c).
bool is_out_of_memory(std::string_view line) {
  constexpr std::array<std::string_view, 3> kWords{"Out of memory: Killed process",
                                                   "oom-kill:", "Memory cgroup out of memory"};
  return names_one_of(line, kWords);
}

std::string out_of_memory_text(std::string_view line) {
  constexpr std::array<std::string_view, 2> kOfGroup{"CONSTRAINT_MEMCG", "Memory cgroup"};
  return names_one_of(line, kOfGroup) ? "the kernel ended a process of a control group at its limit"
                                      : "the kernel ended a process";
}

/// "Xid 79" of "NVRM: Xid (PCI:000f:01:00): 79, pid=…".
std::optional<std::string> xid_text(std::string_view line) {
  constexpr std::string_view kXidMark = "NVRM: Xid (";
  constexpr std::string_view kNumber = "): ";
  const auto begin = line.find(kXidMark);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto number = line.find(kNumber, begin);
  if (number == std::string_view::npos) return std::nullopt;
  const auto rest = line.substr(number + kNumber.size());
  const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
  if (digits.empty()) return std::nullopt;
  return fmt::format("Xid {}", digits);
}

/// A line without "(pid 4711): ", with which mlx5_core begins those of its errors.
std::string without_process(std::string line) {
  constexpr std::string_view kPid = "(pid ";
  constexpr std::string_view kPidEnd = "): ";
  const auto begin = line.find(kPid);
  if (begin == std::string::npos) return line;
  const auto end = line.find(kPidEnd, begin);
  return end == std::string::npos ? std::string() : line.erase(begin, end + kPidEnd.size() - begin);
}

/// Of "mlx5_core 0000:01:00.0 enp1s0f0np0: Link down" the link and what is said of it; without a
/// link, all of it. Empty: it is no such line, or none of an error or a link.
std::optional<Recorded> card_sign(std::string_view line) {
  constexpr std::string_view kDriver = "mlx5_core ";
  constexpr std::array<std::string_view, 11> kSaying{"error",   "fail",   "link up", "link down",
                                                     "cable",   "module", "health",  "fatal",
                                                     "timeout", "reset",  "synd"};
  if (!line.starts_with(kDriver)) return std::nullopt;
  const auto said = line.substr(kDriver.size());
  if (!names_one_of(ascii_lower(said), kSaying)) return std::nullopt;
  Recorded sign{
      .at = {}, .sign = Sign::kKernelLine, .link = "", .peer = "", .lasted = {}, .text = ""};
  const auto head = said.substr(0, said.find(": "));
  const auto blank = head.find(' ');
  if (blank != std::string_view::npos && head.find(' ', blank + 1) == std::string_view::npos &&
      head.size() < said.size()) {
    sign.link = printable(head.substr(blank + 1));
    sign.text = without_process(std::string(said.substr(head.size() + 2)));
  } else {
    sign.text = without_process(std::string(line));
  }
  // No other form of a process is known there, and none leaves this node.
  if (sign.text.contains("pid") || sign.text.contains("comm=")) sign.text.clear();
  sign.text = printable(sign.text, SignLog::kLongestText);
  return sign;
}

std::optional<Recorded> sign_of_entry(const JournalEntry& entry) {
  std::int64_t count = 0;
  const auto* const end = entry.time.data() + entry.time.size();
  if (std::from_chars(entry.time.data(), end, count).ptr != end) return std::nullopt;
  const auto at =
      Time(std::chrono::floor<std::chrono::milliseconds>(std::chrono::microseconds(count)));
  if (is_out_of_memory(entry.message)) {
    return Recorded{.at = at,
                    .sign = Sign::kOutOfMemory,
                    .link = "",
                    .peer = "",
                    .lasted = {},
                    .text = out_of_memory_text(entry.message)};
  }
  if (auto text = xid_text(entry.message)) {
    return Recorded{.at = at,
                    .sign = Sign::kXid,
                    .link = "",
                    .peer = "",
                    .lasted = {},
                    .text = std::move(*text)};
  }
  auto sign = card_sign(entry.message);
  if (sign) sign->at = at;
  return sign;
}

/// Of what the kernel says in several lines at once, the first.
bool is_said_again(const std::vector<Recorded>& signs, const Recorded& sign) {
  constexpr std::chrono::seconds kOnce{1};
  const auto last = std::find_if(signs.rbegin(), signs.rend(), [&sign](const Recorded& one) {
    return one.sign == sign.sign && one.link == sign.link;
  });
  return last != signs.rend() && sign.at - last->at < kOnce &&
         (sign.sign == Sign::kOutOfMemory || last->text == sign.text);
}

}  // namespace

std::vector<Recorded> kernel_signs(std::string_view entries) {
  std::vector<Recorded> signs;
  for (const auto line : lines_of(entries)) {
    const auto entry = value_from_text<JournalEntry>(std::string(line));
    if (!entry) continue;
    auto sign = sign_of_entry(*entry);
    if (sign && !is_said_again(signs, *sign)) signs.push_back(std::move(*sign));
  }
  return signs;
}

Result<std::vector<Recorded>> kernel_lines(Time since, Time until, const host::ReadJournal& read) {
  const auto entries = read(since, until);
  if (!entries) return std::unexpected(entries.error());
  auto signs = kernel_signs(*entries);
  std::erase_if(signs, [&](const Recorded& sign) { return sign.at < since || sign.at > until; });
  return signs;
}

}  // namespace spark::jobs
