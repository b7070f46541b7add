#pragma once
// Transaction: carries out a plan. At its end all changes are in place, or the host is as before.

#include <cstddef>
#include <optional>

#include "apply/connectivity.hpp"
#include "apply/report.hpp"
#include "config/node.hpp"
#include "host/host.hpp"
#include "host/view.hpp"
#include "plan/plan.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark::apply {

class Transaction {
 public:
  /// `plan` must have been made from `before` and `ledger` for `node`, have no refusal, and not be
  /// settling on somebody else's change. All of them must outlive the transaction, the observer and
  /// the request too.
  Transaction(host::Host& host, const config::Node& node, const plan::Plan& plan,
              host::View& before, const kinds::Ledger& ledger, const TransactionObserver& observer,
              const state::ApplyRequest& request = {});

  /// Carries out the plan; to be called once. Writes nothing where the plan has no steps and
  /// remembers the same as the ledger. Where the request wants a confirmation, the journal stays
  /// until then.
  Report run();

 private:
  /// Writes the journal. Nothing of the host is changed yet.
  Result<> prepare();
  /// Of each step's files, and of what is noted behind the last step.
  Result<> hold_room();
  /// Makes the steps, one after the other, until one fails or the observer interrupts.
  Result<> run_steps();
  /// Reads back: every step is in place, and nobody was cut off.
  Result<> verify();
  /// Writes what is ours now to the ledger, and to the journal that only the confirmation is
  /// missing.
  Result<> commit();
  /// Rolls back the steps that were tried, the last first.
  void roll_back(Error failure);
  /// Notes the outcome in the history.
  void record();
  /// Removes what this transaction, and one that was interrupted before it, left behind; the
  /// journal last.
  Result<> finish();

  Report only_remember();
  Report not_started(Error failure);
  Result<state::Journal> new_journal();
  Result<> run_step(std::size_t index);
  Result<> expect_in_place(const std::vector<const plan::Step*>& not_in_place);
  void tell_in_force();
  void add_to_history(state::Generation generation);
  [[nodiscard]] bool is_in_history() const;
  [[nodiscard]] state::Generation::Outcome good_outcome() const;

  host::Host& host_;
  const config::Node& node_;
  const plan::Plan& plan_;
  host::View& before_;
  const kinds::Ledger& ledger_;
  const TransactionObserver& observer_;
  const state::ApplyRequest& request_;

  /// The journal of an apply that was interrupted before this one began.
  std::optional<state::Journal> interrupted_;
  state::Journal journal_;
  std::vector<UniqueFd> room_for_record_;
  Connectivity connectivity_;
  /// Index of the first step that releases something; past the last step: there is none. From this
  /// step on others act on what was ours, so all earlier steps are read back before it.
  std::size_t first_handed_back_ = 0;
  std::size_t tried_ = 0;        ///< steps
  bool has_new_ledger_ = false;  ///< it was written, or may have been
  std::optional<plan::Plan> left_;
  Report report_;
};

}  // namespace spark::apply
