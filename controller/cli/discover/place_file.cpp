#include <fmt/format.h>

#include "cli/discover/placed.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

Result<Placed> find_no_other(host::Files& files, const std::string& text) {
  auto placed = find_placed(files, text);
  if (!placed || *placed != Placed::kDifferent) return placed;
  return fail(
      ErrorCode::kBusy,
      fmt::format("'{0}' is there already and says something else than what is offered, and "
                  "no file is replaced: move it away (sudo mv {0} {0}.before) and run this "
                  "again",
                  protocol::kDefaultFile));
}

}  // namespace

Result<Placed> find_placed(host::Files& files, const std::string& text) {
  const auto present = files.read(protocol::kDefaultFile);
  if (!present) return std::unexpected(present.error());
  if (!*present) return Placed::kAbsent;
  return **present == text ? Placed::kSame : Placed::kDifferent;
}

Result<> check_no_other_file(host::Files& files, const std::string& text) {
  const auto placed = find_no_other(files, text);
  return placed ? Result<>{} : std::unexpected(placed.error());
}

Result<Placed> place_file(host::Files& files, const std::string& text) {
  const auto placed = find_no_other(files, text);
  if (!placed) return placed;
  constexpr unsigned kMode = 0644;  // `plan` needs no root
  if (*placed == Placed::kAbsent) {
    if (auto written = files.write_durably(protocol::kDefaultFile, text, kMode); !written) {
      return std::unexpected(written.error());
    }
  }
  return placed;
}

}  // namespace spark::cli
