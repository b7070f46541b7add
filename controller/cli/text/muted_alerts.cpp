#include "cli/text/muted_alerts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/duration_text.hpp"
#include "base/text.hpp"
#include "node_state/status_json.hpp"

namespace spark::cli {
namespace {

using node_state::MuteRecord;

std::string raised_text(const MuteRecord& muted) {
  return muted.raised == 0 ? "none raised" : fmt::format("{} raised", muted.raised);
}

}  // namespace

std::string muted_subject(const state::Mute& mute) {
  return printable(
      fmt::format("{} ({}){}", mute.alert, mute.id, mute.node.empty() ? "" : " of " + mute.node));
}

std::string muted_text(const std::vector<MuteRecord>& muted) {
  std::string text;
  for (const auto& one : muted) {
    text += fmt::format("  muted until {}, {}: {}: {}\n", utc_text(one.mute.until.wall),
                        raised_text(one), muted_subject(one.mute), printable(one.mute.reason));
  }
  if (!muted.empty()) text += "  `spark-reconcile mute --end ID` ends a mute\n";
  return text;
}

std::string muted_brief(const std::vector<MuteRecord>& muted) {
  if (muted.empty()) return {};
  auto text = "muted here: " + printable(muted.front().mute.alert);
  if (muted.size() > 1) text += fmt::format(" and {} more", muted.size() - 1);
  return text;
}

std::chrono::milliseconds left_of(const state::Mute& mute, const Moment& now) {
  return std::max(mute.until.wall - now.wall, std::chrono::milliseconds(0));
}

std::string muted_list(const std::vector<MuteRecord>& muted, const Moment& now) {
  std::string text;
  for (const auto& one : muted) {
    const auto& mute = one.mute;
    text +=
        fmt::format("{}: {} left, {}{}: {}\n", muted_subject(mute),
                    duration_text(left_of(mute, now)), raised_text(one),
                    mute.by.empty() ? "" : ", by " + printable(mute.by), printable(mute.reason));
  }
  return text.empty() ? "nothing is muted\n" : text;
}

nlohmann::json mute_json(const MuteRecord& muted, const Moment& now) {
  auto json = node_state::to_json(muted);
  json["left_seconds"] = std::chrono::floor<std::chrono::seconds>(left_of(muted.mute, now)).count();
  return json;
}

}  // namespace spark::cli
