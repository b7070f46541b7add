#pragma once
// What the daemon names of node_state/ without its room: the state is its subject.

#include "node_state/node_state.hpp"   // IWYU pragma: export
#include "node_state/source_text.hpp"  // IWYU pragma: export
#include "node_state/time_text.hpp"    // IWYU pragma: export
#include "node_state/wait_text.hpp"    // IWYU pragma: export

namespace spark::daemon {

using node_state::BenchRate;
using node_state::ChangeRecord;
using node_state::ClusterState;
using node_state::Counters;
using node_state::DisturbWait;
using node_state::Drift;
using node_state::FileState;
using node_state::GidMove;
using node_state::HardwareState;
using node_state::HeardPeer;
using node_state::LinkRecord;
using node_state::MuteRecord;
using node_state::NodeState;
using node_state::PeerRail;
using node_state::Released;
using node_state::RolloutHeld;
using node_state::RolloutWait;
using node_state::SinkState;
using node_state::SkippedRecord;
using node_state::SourceState;
using node_state::StateLoss;
using node_state::VerdictSpan;

using node_state::kErrorsCount;
using node_state::kMostChanges;
using node_state::kMostVerdicts;
using node_state::kRecurringTimes;
using node_state::kRemedyOfWait;
using node_state::kVerdictsKept;

using node_state::age;
using node_state::change_text;
using node_state::commit_text;
using node_state::in_seconds;
using node_state::is_overdue;
using node_state::is_set;
using node_state::name_of;
using node_state::oldest_of;
using node_state::reasons_of;
using node_state::source_lines;
using node_state::unix_seconds;
using node_state::utc_clock;
using node_state::utc_words;
using node_state::writer_clause;

}  // namespace spark::daemon
