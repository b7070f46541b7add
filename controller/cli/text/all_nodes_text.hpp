#pragma once
// How one file for all nodes goes, as the verbs with --all and `status` show it.

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "all_nodes/progress.hpp"
#include "base/exit_code.hpp"
#include "cli/terminal.hpp"

namespace spark::cli {

/// How an offer ended, as far as this node knows.
enum class AllNodesEnd : std::uint8_t {
  kPlanned,     ///< nobody was asked to apply it
  kKept,        ///< on all nodes
  kRefused,     ///< before anybody had begun
  kRolledBack,  ///< on all nodes
  kMixed,       ///< some kept it, others went back
  kUnknown,     ///< some have not said it
};

inline constexpr std::array<std::string_view, 6> kAllNodesEnds = {
    "planned", "kept", "refused", "rolled_back", "mixed", "unknown"};
constexpr const auto& names_of(AllNodesEnd /*any*/) { return kAllNodesEnds; }

/// `is_approved`: a person has said yes to it.
AllNodesEnd end_of(const all_nodes::Progress& progress, bool is_approved);
/// As for one node. With `is_detailed` a plan with changes is kDifferences.
ExitCode exit_code_of(AllNodesEnd end, const all_nodes::Progress& progress,
                      bool is_detailed = false);

/// A line a node: what would change there, and what that disturbs. With `has_steps` each step below
/// it.
std::string plans_text(const all_nodes::Progress& progress, bool has_steps,
                       const Terminal& terminal);
/// "Apply on all three, and roll all back unless every gate is as good as before within
/// 2 min? [y/N] "
std::string all_nodes_question(const all_nodes::Progress& progress,
                               std::chrono::milliseconds within);
/// How far all nodes are, in one line without a line feed.
std::string passing_text(const all_nodes::Progress& progress);
/// What is new of each node since `before`, a line each.
std::string news_text(const all_nodes::Progress& before, const all_nodes::Progress& progress);
/// How it ended and why, with its line feed.
std::string end_text(const all_nodes::Progress& progress, AllNodesEnd end);

/// This node takes part, and has neither kept the file nor gone back.
bool is_pending_here(const all_nodes::Progress& progress);
/// "alice on spark1"; printable.
std::string who_offers(const all_nodes::Progress& progress);
/// "pending until …: alice on spark1 offers another file; this node goes back by itself unless all
/// nodes keep it"; empty: nothing is under way here.
std::string pending_text(const all_nodes::Progress& progress);

/// What the verbs print with --json.
nlohmann::json to_json(const all_nodes::Progress& progress, AllNodesEnd end);

}  // namespace spark::cli
