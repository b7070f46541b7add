#include "daemon/common/node_state.hpp"

namespace spark::daemon {

std::string_view name_of(Drift::State state) {
  switch (state) {
    case Drift::State::kDiffers:
      return "differs";
    case Drift::State::kFailed:
      return "failed";
    case Drift::State::kContested:
      return "contested";
  }
  return "differs";
}

std::string_view name_of(ChangeRecord::Cause cause) {
  switch (cause) {
    case ChangeRecord::Cause::kFile:
      return "file";
    case ChangeRecord::Cause::kDrift:
      return "drift";
    case ChangeRecord::Cause::kBoot:
      return "boot";
    case ChangeRecord::Cause::kLink:
      return "link";
  }
  return "drift";
}

}  // namespace spark::daemon
