#include "jobs/sign_log.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "jobs/records.hpp"

namespace spark::jobs {
namespace {

constexpr std::size_t kLongestNameOfSign = 64;  ///< code points, of a link or a peer
/// A daemon that starts again within that time missed nothing, and a clock that is set back by less
/// has not jumped.
constexpr std::chrono::seconds kRestart{2};
/// Bytes of what a document has beside its signs.
constexpr std::size_t kBeside = std::size_t{16} * 1024;
/// All proofs of the last hour are kept.
constexpr std::chrono::hours kNewProofs{1};

/// Bytes of a text in JSON, at most.
std::size_t bytes_of(const std::string& text) {
  const auto escaped = std::ranges::count_if(text, [](char c) { return c == '"' || c == '\\'; });
  return text.size() + static_cast<std::size_t>(escaped);
}

std::size_t bytes_of(const Recorded& sign) {
  constexpr std::size_t kFrame = 112;  // names of members, numbers and marks
  return kFrame + bytes_of(sign.link) + bytes_of(sign.peer) + bytes_of(sign.text);
}

/// There is one of each peer and rail a minute; RDMA is proven once.
bool is_echo(const Recorded& sign) { return sign.sign == Sign::kEcho; }

/// The oldest echoes go first, then the oldest of the rest.
void drop_beyond(std::vector<Recorded>& signs, std::size_t most_bytes) {
  std::size_t bytes = 0;
  for (const auto& sign : signs) bytes += bytes_of(sign);
  for (const bool echoes : {true, false}) {
    std::erase_if(signs, [&](const Recorded& sign) {
      if (bytes <= most_bytes || is_echo(sign) != echoes) return false;
      bytes -= bytes_of(sign);
      return true;
    });
  }
}

void drop_one(std::vector<Recorded>& signs) {
  const auto echo = std::ranges::find_if(signs, is_echo);
  signs.erase(echo == signs.end() ? signs.begin() : echo);
}

/// Proofs between which nothing happened are thinned out to the first of each hour.
void thin_out(std::vector<Recorded>& signs, const std::vector<Time>& ends, Time now) {
  std::set<Time> happened(ends.begin(), ends.end());
  for (const auto& sign : signs) {
    if (!is_proof(sign.sign)) happened.insert(sign.at);
  }
  std::set<std::tuple<Time, Sign, std::string, std::string>> first;
  std::erase_if(signs, [&](const Recorded& sign) {
    if (!is_proof(sign.sign)) return false;
    const auto hour = std::chrono::floor<std::chrono::hours>(sign.at);
    const bool is_first = first.emplace(hour, sign.sign, sign.link, sign.peer).second;
    const auto next = happened.lower_bound(sign.at - kAround);
    const bool is_near = next != happened.end() && *next <= sign.at + kAround;
    return !is_first && !is_near && sign.at < now - kNewProofs;
  });
}

}  // namespace

void SignLog::begin(Time now) {
  auto& covered = record_.covered;
  if (!covered.empty() && now > covered.back().to + kRestart) {
    covered.push_back({.from = now, .to = now});
  }
  go_on(now);
}

void SignLog::go_on(Time now) {
  auto& covered = record_.covered;
  if (covered.empty() || now < covered.back().to - kRestart) {
    covered.push_back({.from = now, .to = now});
  } else {
    covered.back().to = std::max(covered.back().to, now);
  }
}

void SignLog::set_clock(Time booted, Time now, std::chrono::milliseconds by) {
  auto& [node, ahead, covered, signs] = record_;
  if (covered.empty()) return;
  const auto is_of_this_boot = [&](Time at) {
    return at >= booted - kRestart && at <= now + kRestart &&
           std::none_of(covered.begin(), covered.end() - 1,
                        [at](const Span& span) { return span.from <= at && at <= span.to; });
  };
  for (auto& sign : signs) {
    if (is_of_this_boot(sign.at)) sign.at += by;
  }
  std::ranges::stable_sort(signs, {}, &Recorded::at);
  covered.back().from += by;
  covered.back().to += by;
}

void SignLog::add(Recorded sign) {
  sign.link = printable(sign.link, kLongestNameOfSign);
  sign.peer = printable(sign.peer, kLongestNameOfSign);
  sign.text = printable(sign.text, kLongestText);
  auto& signs = record_.signs;
  const auto [first, last] = std::ranges::equal_range(signs, sign.at, {}, &Recorded::at);
  // Lines of the kernel are read once more where two jobs end soon after each other.
  if (std::find(first, last, sign) != last) return;
  signs.insert(last, std::move(sign));
  if (signs.size() > protocol::kMostSigns) drop_one(signs);
}

void SignLog::end(Sign sign, std::string_view link, std::string_view peer, Time now) {
  auto& signs = record_.signs;
  const auto newest = std::find_if(signs.rbegin(), signs.rend(), [&](const Recorded& one) {
    return one.sign == sign && one.link == link && one.peer == peer;
  });
  if (newest == signs.rend() || newest->lasted) return;
  newest->lasted = std::max(now - newest->at, std::chrono::milliseconds(0));
}

void SignLog::forget(const std::vector<Time>& ends, Time now) {
  auto& [node, ahead, covered, signs] = record_;
  std::erase_if(signs, [&](const Recorded& sign) { return sign.at < now - kKept; });
  std::erase_if(covered, [&](const Span& span) { return span.to < now - kKept; });
  if (covered.size() > protocol::kMostSpansCovered) {
    covered.erase(covered.begin(),
                  covered.end() - static_cast<std::ptrdiff_t>(protocol::kMostSpansCovered));
  }
  thin_out(signs, ends, now);
  drop_beyond(signs, protocol::kMostRecordedBytes - kBeside);
}

Result<NodeSigns> record_from_text(const std::string& text) {
  return document_from_text<NodeSigns>(protocol::kRecordSchema, text);
}

std::string record_text(const NodeSigns& record) {
  return json_text(document_of(protocol::kRecordSchema, record)) + "\n";
}

Result<std::optional<NodeSigns>> read_record(host::Files& files) {
  for (const auto* path : {protocol::kRecordFile, protocol::kKeptRecordFile}) {
    const auto text = files.read(path);
    if (!text) return std::unexpected(text.error());
    if (!*text) continue;
    auto record = record_from_text(**text);
    if (!record) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("'{}' is damaged or of another version ({}): the daemon begins a new "
                              "one when it starts",
                              path, record.error().what));
    }
    record->ahead = std::chrono::milliseconds(0);  // by its own clock
    return std::move(*record);
  }
  return std::nullopt;
}

}  // namespace spark::jobs
