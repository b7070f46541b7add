#include "daemon/mute_news.hpp"

#include <fmt/format.h>
#include <syslog.h>

namespace spark::daemon {
namespace {

/// "SparkDrift (SR-ALERT-003) of spark2".
std::string subject_of(const state::Mute& mute) {
  return fmt::format("{} ({}){}", mute.alert, mute.id, mute.node.empty() ? "" : " of " + mute.node);
}

News news_of(const MuteChange& change) {
  const auto& mute = change.record.mute;
  if (!change.how.empty()) {
    return {LOG_NOTICE, "mute_ended",
            fmt::format("{} is no longer muted: {}", subject_of(mute), change.how), mute.change_id};
  }
  return {LOG_NOTICE, "muted",
          fmt::format("{} is muted until {}{}: {}", subject_of(mute), utc_text(mute.until.wall),
                      mute.by.empty() ? "" : " by " + mute.by, mute.reason),
          mute.change_id};
}

News news_of(const Transition& withheld) {
  const auto& alert = withheld.alert;
  return {LOG_NOTICE, "alert_muted",
          withheld.what == Transition::What::kRaised
              ? fmt::format("told to nobody, since it is muted: {} ({}): {}", alert.name, alert.id,
                            alert.summary)
              : fmt::format("told to nobody, since it is muted: {} ({}) is over ({})", alert.name,
                            alert.id, withheld.how)};
}

}  // namespace

std::vector<News> news_of_mutes(const std::vector<MuteChange>& changes,
                                const std::vector<Transition>& withheld) {
  std::vector<News> news;
  for (const auto& change : changes) news.push_back(news_of(change));
  for (const auto& transition : withheld) news.push_back(news_of(transition));
  return news;
}

}  // namespace spark::daemon
