#include "cli/muted_alerts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/duration_text.hpp"
#include "base/json_document.hpp"
#include "base/text.hpp"

namespace spark::cli {
namespace {

std::string raised_text(const MutedAlert& muted) {
  return muted.raised == 0 ? "none raised" : fmt::format("{} raised", muted.raised);
}

}  // namespace

std::string muted_subject(const std::string& alert, const std::string& id,
                          const std::string& node) {
  return printable(fmt::format("{} ({}){}", alert, id, node.empty() ? "" : " of " + node));
}

std::string muted_text(const std::vector<MutedAlert>& muted) {
  std::string text;
  for (const auto& one : muted) {
    text +=
        fmt::format("  muted until {}, {}: {}: {}\n", printable(one.until), raised_text(one),
                    muted_subject(one.alert, one.id, one.node.value_or("")), printable(one.reason));
  }
  if (!muted.empty()) text += "  `spark-reconcile mute --end ID` ends a mute\n";
  return text;
}

std::string muted_brief(const std::vector<MutedAlert>& muted) {
  if (muted.empty()) return {};
  auto text = "muted here: " + printable(muted.front().alert);
  if (muted.size() > 1) text += fmt::format(" and {} more", muted.size() - 1);
  return text;
}

std::optional<std::chrono::milliseconds> left_of(const MutedAlert& muted, const Moment& now) {
  const auto until = wall_from_utc(muted.until);
  if (!until) return std::nullopt;
  return std::max(*until - now.wall, std::chrono::milliseconds(0));
}

std::string muted_list(const std::vector<MutedAlert>& muted, const Moment& now) {
  std::string text;
  for (const auto& one : muted) {
    const auto left = left_of(one, now);
    text += fmt::format("{}: {} left, {}{}: {}\n",
                        muted_subject(one.alert, one.id, one.node.value_or("")),
                        left ? duration_text(*left) : "?", raised_text(one),
                        one.by ? ", by " + printable(*one.by) : "", printable(one.reason));
  }
  return text.empty() ? "nothing is muted\n" : text;
}

nlohmann::json to_json(const MutedAlert& muted, const Moment& now) {
  auto json = TextJsonWriter::write(muted);
  const auto left = left_of(muted, now);
  json["left_seconds"] =
      left ? nlohmann::json(std::chrono::floor<std::chrono::seconds>(*left).count())
           : nlohmann::json(nullptr);
  return json;
}

}  // namespace spark::cli
