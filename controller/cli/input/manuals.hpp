#pragma once
// The manual of each verb, in a file for each group of the help; and what several of them name.

#include "cli/input/manual.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"

namespace spark::cli {

/// For verbs that change no more than one file of their own.
inline constexpr VerbExit kFailed{ExitCode::kError, "an error, which is printed"};

inline constexpr UsedFile kUsesLock{protocol::kLockFile, "the lock of all who change this machine"};
inline constexpr UsedFile kUsesNodeState{protocol::kNodeStateFile,
                                         "what the daemon knows of this node, after each pass"};
inline constexpr UsedFile kUsesLedger{
    "/var/lib/spark-reconcile/NODE/ledger.json",
    "the ownership ledger: what the program set, and what was there before"};
inline constexpr UsedFile kUsesJournal{
    "/var/lib/spark-reconcile/NODE/journal.json",
    "the journal of an apply: on disk before the first change, gone after the last"};
inline constexpr UsedFile kUsesHistory{
    "/var/lib/spark-reconcile/NODE/history.json",
    "the last hundred applies of a file; the files are beside it"};
inline constexpr UsedFile kUsesNodeKey{protocol::kNodeKeyFile,
                                       "the secret half of this node's key, made once"};
inline constexpr UsedFile kUsesTrusted{protocol::kTrustedFile,
                                       "the keys of the nodes that words were compared with"};
inline constexpr UsedFile kUsesPause{protocol::kPauseFile, "the pause"};
inline constexpr UsedFile kUsesMutes{protocol::kMutesFile, "the mutes"};

// manuals_start.cpp
VerbManual manual_of_init();
VerbManual manual_of_join();
VerbManual manual_of_validate();
VerbManual manual_of_plan();
VerbManual manual_of_apply();
VerbManual manual_of_confirm();

// manuals_look.cpp
VerbManual manual_of_status();
VerbManual manual_of_gate();
VerbManual manual_of_bench();
VerbManual manual_of_doctor();
VerbManual manual_of_explain();
VerbManual manual_of_topology();
VerbManual manual_of_history();
VerbManual manual_of_events();

// manuals_back.cpp
VerbManual manual_of_rollback();
VerbManual manual_of_release();

// manuals_service.cpp
VerbManual manual_of_daemon();
VerbManual manual_of_wait();
VerbManual manual_of_pause();
VerbManual manual_of_resume();
VerbManual manual_of_mute();
VerbManual manual_of_follow();
VerbManual manual_of_sync();
VerbManual manual_of_rollout();

// manuals_jobs.cpp
VerbManual manual_of_export();
VerbManual manual_of_facts();
VerbManual manual_of_version();

}  // namespace spark::cli
