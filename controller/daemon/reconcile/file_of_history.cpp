#include "daemon/reconcile/file_of_history.hpp"

#include <fmt/format.h>

#include "config/parse/parse.hpp"
#include "state/history.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"
#include "state/select.hpp"

namespace spark::daemon {

Result<std::optional<std::string>> file_of_history(host::Files& files, host::View& view,
                                                   const std::string& asked) {
  const auto node = asked.empty() ? state::remembered_node(view) : asked;
  if (node.empty() || state::is_of_another_machine(files, node)) {
    return std::nullopt;
  }
  const auto history = state::read_history(files, node);
  if (!history) return std::unexpected(history.error());
  const auto last = state::last_settled(*history);
  if (!last) {
    return std::nullopt;
  }
  auto text = state::read_generation(files, node, last->digest);
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return std::nullopt;
  }
  auto parsed = config::parse(**text);
  if (parsed.cluster.digest != last->digest) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}/files/{}.yaml' is not the file that was kept there: somebody "
                            "changed it, or the disk did. It is not used",
                            state::state_directory(node), last->digest));
  }
  if (config::has_errors(parsed.diagnostics)) {
    return std::nullopt;  // a newer version wrote it
  }
  if (asked.empty()) {
    // By the machine's name it may be another node since, which that file was never applied to.
    const auto own = state::own_node(parsed.cluster, view);
    if (!own) return std::unexpected(own.error());
    if (own->name != node) {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace spark::daemon
