#pragma once
// news_of_mutes: what the daemon's own log, and the verb `events`, say of mutes: the one place
// where an alert that is muted is said.

#include <vector>

#include "daemon/alerts/alert_mutes.hpp"
#include "daemon/alerts/alert_store.hpp"
#include "daemon/news.hpp"

namespace spark::daemon {

/// `withheld`: the alerts that began or ended, and of which no receiver is told.
std::vector<News> news_of_mutes(const std::vector<MuteChange>& changes,
                                const std::vector<Transition>& withheld);

}  // namespace spark::daemon
