#pragma once
// MutedAlert: a mute in force, as the daemon's status has it, and how people read it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fields.hpp"
#include "base/moment.hpp"

namespace spark::cli {

struct MutedAlert {
  std::string id;                   ///< "SR-ALERT-003"
  std::string alert;                ///< "SparkDrift"
  std::optional<std::string> node;  ///< of alerts about that node alone; empty: about any
  std::string since;                ///< UTC
  std::string until;                ///< UTC
  std::string reason;
  std::optional<std::string> by;  ///< user name; empty: not known
  std::optional<std::uint64_t>
      subjects;              ///< how many were raised when it began; empty: not counted yet
  std::uint64_t raised = 0;  ///< how many are raised now
};

template <EitherConst<MutedAlert> T, class Visit>
void each_field(T& muted, Visit visit) {
  visit("id", may_lack(muted.id));
  visit("alert", may_lack(muted.alert));
  visit("node", muted.node);
  visit("since", may_lack(muted.since));
  visit("until", may_lack(muted.until));
  visit("reason", may_lack(muted.reason));
  visit("by", muted.by);
  visit("subjects", muted.subjects);
  visit("raised", may_lack(muted.raised));
}

/// "SparkDrift (SR-ALERT-003) of spark2".
std::string muted_subject(const std::string& alert, const std::string& id, const std::string& node);

/// Lines for `status`, each with its line feed; empty: nothing is muted.
std::string muted_text(const std::vector<MutedAlert>& muted);

/// For one line of all: "muted here: SparkDrift and 2 more"; empty: nothing is muted.
std::string muted_brief(const std::vector<MutedAlert>& muted);

/// How long it still lasts: at least nothing. Empty: its end cannot be read.
std::optional<std::chrono::milliseconds> left_of(const MutedAlert& muted, const Moment& now);

/// Lines for `mute`: what is left of each, who asked for it, and why.
std::string muted_list(const std::vector<MutedAlert>& muted, const Moment& now);

/// As the status has it; with what is left.
nlohmann::json to_json(const MutedAlert& muted, const Moment& now);

}  // namespace spark::cli
