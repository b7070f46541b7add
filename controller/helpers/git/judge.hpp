#pragma once
// judge: which commit's file counts. It reads what spark-git-fetch left, believes nothing of it but
// what its hash or a signature proves, and says what is accepted, refused, or waits.

#include <cstdint>
#include <optional>
#include <string>

#include "config/source.hpp"
#include "helpers/git/fault.hpp"
#include "helpers/git/object_reader.hpp"
#include "helpers/git/signers.hpp"
#include "protocol/source.hpp"

namespace spark::helpers {

struct JudgeInput {
  const config::SourceSpec& settings;
  const protocol::Offer& offer;
  /// Of the last run: empty, nothing was accepted yet.
  const std::optional<protocol::AcceptedCommit>& accepted;
  std::string accepted_from;         ///< the `from` of that run
  std::string accepted_path;         ///< and its `path`
  const Signers* signers = nullptr;  ///< none: verify is none
  std::int64_t now = 0;              ///< seconds since 1970
};

/// What the branch's newest commit that counts says.
struct Found {
  protocol::AcceptedCommit commit;  ///< without `at`
  std::string text;                 ///< of the file
};

/// Judges what is offered. Empty: it is what is accepted already. Errors: why it is not taken;
/// kFromTheFuture is to be judged again by itself.
OrFault<std::optional<Found>> judge(const JudgeInput& input, ObjectReader& objects);

/// Judges the accepted commit again, as after a change of the signers. Errors: kNoLongerSigned;
/// kFromTheFuture where the clock is wrong.
OrFault<> judge_again(const protocol::AcceptedCommit& accepted, const Signers& signers,
                      std::int64_t now);

}  // namespace spark::helpers
