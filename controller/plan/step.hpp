#pragma once
// Step: one change of one resource, whatever its kind, in memory and as the journal keeps it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "base/result.hpp"
#include "host/host.hpp"
#include "kinds/common/kind.hpp"

namespace spark::plan {

/// Of which link and address a resource is. A key in words is for people.
struct OnLink {
  std::string link;             ///< empty: it is of none
  std::optional<IpAddress> ip;  ///< empty: it is of the link, or of none
  [[nodiscard]] bool empty() const { return link.empty() && !ip; }
  bool operator==(const OnLink&) const = default;
};

template <EitherConst<OnLink> T, class Visit>
void each_field(T& on, Visit visit) {
  visit("link", unless_empty(on.link));
  visit("ip", unless_empty(on.ip));
}

struct ResourceKey {
  std::string kind;
  std::string key;  ///< in words
  OnLink on;
};

struct Step {
  std::string_view kind;
  std::string key;
  OnLink on;
  std::optional<std::string> before;  ///< empty: it is added
  std::optional<std::string> after;   ///< empty: it is removed
  std::optional<std::string> left;    ///< what is there once it is removed; empty: nothing
  /// What is there after a rollback, where that may not be `before`: what cannot be rolled back,
  /// and does no harm.
  std::optional<std::string> after_rollback;
  kinds::Effect effect;
  std::vector<std::string> files;  ///< that it may replace or remove, by path
  config::Where where;             ///< the line that asks for it; line 0: its line is gone
  bool is_volatile = false;        ///< a reboot forgets both values
  std::function<kinds::Outcome(host::Host&)> apply;
  std::function<kinds::Outcome(host::Host&)> roll_back;
  /// Removes what a kill in the middle of `apply` or `roll_back` leaves beside the resource. Empty:
  /// a kill leaves nothing.
  std::function<Result<>(const kinds::Ledger& remembered, host::Host&)> clean_up;
  /// Complete enough to roll the step back in another process: `read_step` reads it.
  std::function<nlohmann::json()> record;

  /// "address enp1s0f0np0 192.168.177.11": the same step of two plans has the same name.
  [[nodiscard]] std::string name() const;
};

/// `steps` come kind by kind. What lives on other resources goes before them, links go down after
/// all others, and what is handed back to another program comes last.
void put_in_order(std::vector<Step>& steps);

/// The step that `record` describes; no line asks for it. Errors: kInvalid, saying where the record
/// is wrong.
Result<Step> read_step(const nlohmann::json& record);

}  // namespace spark::plan
