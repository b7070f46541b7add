#pragma once
// FileTrial: whether a file that came from git is good: the gate has to hold for a while after the
// apply. A fact of this node that held before and fails for as long makes it bad. Facts that reach
// beyond this node only keep the time from running: the other end may be late.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "gate/common/facts.hpp"
#include "host/files.hpp"

namespace spark::daemon {

/// A file on trial, as it is kept across a restart of the daemon.
struct TrialRecord {
  std::string digest;
  /// Facts that held before the apply: "SR-GATE-002 enp1s0f0np0".
  std::vector<std::string> held;
  std::chrono::milliseconds settle{0};
};

class FileTrial {
 public:
  enum class Verdict : std::uint8_t { kOpen, kGood, kBad };

  /// A file with that digest was applied. `before`: what the gate showed last; empty: nothing yet,
  /// so nothing can have got worse. Where a trial is open, what held before that one counts: the
  /// last good file is still the one from before it.
  void begin(const std::string& digest, const std::optional<gate::GateReport>& before,
             std::chrono::milliseconds settle);
  /// That trial continues, its time from zero; empty: none does.
  void resume(std::optional<TrialRecord> record);
  /// The time begins again, one way and the other.
  void rest();
  [[nodiscard]] bool is_open() const { return record_.has_value(); }
  [[nodiscard]] const std::optional<TrialRecord>& record() const { return record_; }
  /// What keeps it from ending; empty: time alone.
  [[nodiscard]] const std::string& why_open() const { return why_open_; }

  /// Takes in what the gate shows now. kBad: `why_open` says which fact.
  Verdict judge(const gate::GateReport& report, const Moment& now);

  /// Takes over what an earlier process of this daemon kept. What is damaged is as good as nothing.
  void restore(host::Files& files);
  /// Errors: those of the files port.
  [[nodiscard]] Result<> keep(host::Files& files) const;

 private:
  std::optional<TrialRecord> record_;
  std::optional<std::chrono::milliseconds> good_since_;  ///< boot clock
  std::optional<std::chrono::milliseconds> bad_since_;   ///< boot clock
  std::string why_open_;
};

}  // namespace spark::daemon
