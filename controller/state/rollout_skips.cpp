#include "state/rollout_skips.hpp"

#include <utility>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "protocol/paths.hpp"
#include "state/pause.hpp"

namespace spark::state {
namespace {

/// More nodes than any order has that a person would walk through by hand.
constexpr std::size_t kMostSkips = 64;

struct SkipList {
  std::vector<RolloutSkip> skips;
};

template <EitherConst<SkipList> T, class Visit>
void each_field(T& list, Visit visit) {
  visit("skips", list.skips);
}

}  // namespace

std::vector<RolloutSkip> read_rollout_skips(host::Files& files) {
  const auto text = files.read(protocol::kRolloutSkips);
  if (!text || !*text) return {};
  auto list = value_from_text<SkipList>(**text);
  if (!list || list->skips.size() > kMostSkips) return {};
  for (auto& skip : list->skips) skip.why = printable(skip.why, kLongestReason);
  return std::move(list->skips);
}

Result<> add_rollout_skip(host::Files& files, RolloutSkip skip) {
  constexpr unsigned kMode = 0600;
  SkipList list{read_rollout_skips(files)};
  std::erase_if(list.skips, [&](const RolloutSkip& other) { return other.node == skip.node; });
  if (list.skips.size() == kMostSkips) {
    return fail(ErrorCode::kInvalid, "so many nodes are skipped already that no more are kept");
  }
  list.skips.push_back(std::move(skip));
  return files.write_durably(protocol::kRolloutSkips,
                             json_text(TextJsonWriter::write(list), 2) + "\n", kMode);
}

Result<> forget_rollout_skips(host::Files& files) {
  const auto text = files.read(protocol::kRolloutSkips);
  // Nothing is written where there is nothing.
  return text && !*text ? Result<>{} : files.remove_durably(protocol::kRolloutSkips);
}

}  // namespace spark::state
