#include "jobs/sign_text.hpp"

#include <fmt/format.h>

#include "base/duration_text.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"

namespace spark::jobs {

namespace {

/// `when`: " at 03:11:58", or nothing.
std::string said(const Placed& placed, bool with_cage, const std::string& when) {
  const auto& sign = *placed.sign;
  return fmt::format("{} {}{}{}{}", place_text(placed, with_cage), what_text(sign.sign), when,
                     sign.lasted ? fmt::format(" for {}", short_duration(*sign.lasted)) : "",
                     sign.text.empty() ? "" : fmt::format(" ({})", printable(sign.text)));
}

}  // namespace

std::string clock_text(Time at) {
  const auto whole = utc_text(at);  // "2026-01-31T03:11:58Z"
  const auto begin = whole.find('T') + 1;
  return whole.substr(begin, whole.find('Z') - begin);
}

std::string short_duration(std::chrono::milliseconds duration) {
  constexpr double kMilliseconds = 1000;  // in a second
  constexpr double kExact = 10;
  constexpr std::chrono::minutes kLong{2};
  if (duration >= kLong) return duration_text(duration);
  const auto count = static_cast<double>(duration.count()) / kMilliseconds;
  return count < kExact ? fmt::format("{:.2g} s", count) : fmt::format("{:.0f} s", count);
}

std::string_view what_text(Sign sign) {
  switch (sign) {
    case Sign::kCarrierLost:
      return "lost its carrier";
    case Sign::kDeviceGone:
      return "lost its device";
    case Sign::kPeerSilent:
      return "had no echo back";
    case Sign::kRdmaFailed:
      return "failed its test of RDMA";
    case Sign::kMtuChanged:
      return "got another MTU";
    case Sign::kAddressGone:
      return "lost its address";
    case Sign::kGidMoved:
      return "got another GID index";
    case Sign::kEcho:
      return "had its echo back";
    case Sign::kRdmaProven:
      return "was proven by RDMA";
    case Sign::kNodeStarted:
      return "started";
    case Sign::kSentAgain:
      return "sent again";
    case Sign::kOutOfMemory:
      return "had no memory left";
    case Sign::kXid:
      return "had an Xid of its GPU";
    case Sign::kHeat:
      return "was hot";
    case Sign::kPause:
      return "was paused";
    case Sign::kKernelLine:
      return "had a line of its kernel";
    case Sign::kChanged:
      return "was changed";
  }
  return {};
}

std::string place_text(const Placed& placed, bool with_cage) {
  const auto& sign = *placed.sign;
  const auto node = printable(placed.node->node);
  if (sign.link.empty()) return node;
  if (!placed.rail) return fmt::format("{} of {}", printable(sign.link), node);
  return with_cage
             ? fmt::format("rail {} of cage {} of {}", placed.rail->rail, placed.rail->cage, node)
             : fmt::format("rail {} of {}", placed.rail->rail, node);
}

std::string sentence_of(const Placed& placed, bool with_cage) {
  return said(placed, with_cage, " at " + clock_text(placed.at));
}

std::string clause_of(const Placed& placed, bool with_cage) { return said(placed, with_cage, ""); }

}  // namespace spark::jobs
