#pragma once
// How one commit descends from another, read through an ObjectReader.

#include <cstdint>
#include <string>
#include <vector>

#include "helpers/git/object_reader.hpp"
#include "helpers/git/objects.hpp"

namespace spark::helpers {

struct NamedCommit {
  std::string id;
  Commit commit;
};

/// The commits between a branch's head and an older commit.
struct HistoryLine {
  /// The head, its first parent, and so on, without `base`; to the root where `base` is not there.
  std::vector<NamedCommit> first_parents;
  bool has_base = false;    ///< `base` is the head or an ancestor of it
  bool is_on_line = false;  ///< and on the line of first parents
};

/// More commits are never looked at.
inline constexpr std::size_t kMostCommits = 20'000;

/// What is read where there is no base.
enum class WithoutBase : std::uint8_t { kHeadAlone, kToTheRoot };

/// Errors: kNotWhatItsNameSays; kLineTooLong.
OrFault<HistoryLine> read_line(ObjectReader& objects, const std::string& head,
                               const std::string& base,
                               WithoutBase without = WithoutBase::kHeadAlone);

/// Reads one commit.
OrFault<Commit> read_commit(ObjectReader& objects, const std::string& id);

}  // namespace spark::helpers
