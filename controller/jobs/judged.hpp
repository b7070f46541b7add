#pragma once
// Judged: which of the faults that nodes recorded can have ended the job.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "jobs/records.hpp"

namespace spark::jobs {

struct Judged {
  std::vector<Placed> faults;  ///< in the order of time
  /// Those after which no look saw the job: it may have ended before.
  std::vector<Placed> late;
  std::vector<Placed> unused;  ///< on rails that the job did not use
  /// Either the cables failed or the machine behind them: the first sign of that.
  std::optional<Placed> undecided;
  std::string undecided_node;            ///< that machine
  std::map<std::string, Time> restarts;  ///< of nodes, which explain a fault
};

Judged judge(const Question& question, const Records& records);

}  // namespace spark::jobs
