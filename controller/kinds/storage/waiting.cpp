#include "kinds/storage/waiting.hpp"

namespace spark::kinds {

Outcome waits_or_fails(const Error& error) {
  if (error.code == ErrorCode::kTimeout || error.code == ErrorCode::kBusy) return Waits{error.what};
  return std::unexpected(error);
}

Outcome waits_or_fails(const Result<>& made) {
  return made ? Outcome{} : waits_or_fails(made.error());
}

}  // namespace spark::kinds
