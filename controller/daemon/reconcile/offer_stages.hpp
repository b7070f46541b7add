#pragma once
// OfferStages: the stages of a pass that are about the file that all nodes are offered: what
// AllNodes asks of the file is carried out here, and how that ends is said there.

#include <optional>
#include <string>
#include <utility>

#include "all_nodes/machine.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/all_nodes.hpp"
#include "daemon/reconcile/file_trial.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/pass.hpp"
#include "gate/common/facts.hpp"
#include "host/host.hpp"
#include "state/in_force.hpp"

namespace spark::daemon {

class OfferStages {
 public:
  /// `own`: where `path` is, this machine's own file. All must outlive this.
  OfferStages(host::Host& host, host::Files& own, std::string path)
      : host_(host), own_(own), path_(std::move(path)), all_nodes_(host) {}

  /// Takes in what people ask and peers say, and keeps what all nodes keep. `has_source`: a
  /// repository is followed. `last`: what the last pass found. `asked`: the node, where it is
  /// named.
  void look(bool has_source, const Found& last, const std::string& asked, ActiveConfig& file,
            Pass& pass);
  /// Points `file` to what all are offered, while that is applied and on trial. False: it is not.
  bool follow(ActiveConfig& file, const Moment& now);
  /// Ends the trial that all nodes go back from; `file` follows its own place again.
  void go_back(ActiveConfig& file, Pass& pass) const;
  /// Says what the offered file would change here.
  void plan(Machine& machine, const ActiveConfig& file, Pass& pass);
  /// Says whether the offered file is applied, or the one from before is in force again. True: it
  /// could not be applied, and is followed no more.
  bool end(const ActiveConfig& file, Pass& pass);
  /// Takes in a look at the gate.
  void judge(const gate::GateReport& report, const ActiveConfig& file, Pass& pass);

  /// What the gate showed last is what the offered file is judged by: nodes have begun to apply it.
  [[nodiscard]] bool keeps_look() const;
  /// A look at the gate is due: how it is before, or what becomes of it.
  [[nodiscard]] bool wants_look(const Moment& now) const;
  /// Something is to be done at once.
  [[nodiscard]] bool has_work(const Moment& now) const;
  [[nodiscard]] const AllNodes& all_nodes() const { return all_nodes_; }

 private:
  [[nodiscard]] std::string why_hindered(bool has_source, const Found& last,
                                         const state::InForce& record, const Pass& pass) const;
  [[nodiscard]] std::string changed_own(const GoodFile* in_force) const;
  void keep(ActiveConfig& file, Pass& pass);
  Result<> write_own(const OfferedFile& offer, const state::InForce& record) const;
  [[nodiscard]] bool has_looked() const;
  [[nodiscard]] bool goes_back(const ActiveConfig& file, const Moment& now) const;
  [[nodiscard]] std::string refusal(Machine& machine, const OfferedFile& offer,
                                    const GoodFile* in_force, all_nodes::PlanTold& told) const;

  host::Host& host_;
  host::Files& own_;
  std::string path_;
  AllNodes all_nodes_;
  std::string node_;          ///< as of the last look
  std::string hindered_;      ///< the same
  std::string planned_over_;  ///< digest of the file that was in force then
  bool is_followed_ = false;  ///< what all are offered, in this pass
  bool is_known_ = false;     ///< what all nodes have said is known since the last look
  FileTrial trial_;
  std::string looked_for_;                ///< the offer that was known in the last look at the gate
  std::optional<state::FactsSeen> seen_;  ///< in the last one with its file
};

}  // namespace spark::daemon
