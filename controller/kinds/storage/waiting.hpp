#pragma once
// waits_or_fails: what becomes of a step on storage when a port does not do what is asked of it.

#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Storage needs other machines, and nothing but storage needs it. So a step waits for what
/// gave no answer in time (kTimeout) and for what somebody keeps busy (kBusy), and the network that
/// the same plan sets up stays. Any other error is a failure.
Outcome waits_or_fails(const Error& error);
/// The same of an error; else done.
Outcome waits_or_fails(const Result<>& made);

}  // namespace spark::kinds
