#include <algorithm>
#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "kinds/all.hpp"
#include "plan/make_step.hpp"
#include "plan/step.hpp"

namespace spark::plan {
namespace {

template <class K>
Result<Step> read_step_of(const nlohmann::json& record) {
  auto change = read_change<K>(record);
  if (!change) return std::unexpected(change.error());
  return make_step<K>(*std::move(change), {});
}

template <class... Kinds>
Result<Step> read_any(std::type_identity<std::tuple<Kinds...>> /*kinds*/,
                      const nlohmann::json& record) {
  Result<Step> step = fail(ErrorCode::kInvalid, "a step of an unknown kind");
  static_cast<void>(
      ((record["kind"] == Kinds::kName && (step = read_step_of<Kinds>(record), true)) || ...));
  return step;
}

}  // namespace

Result<Step> read_step(const nlohmann::json& record) {
  constexpr std::array kParts{"kind", "key", "before", "after"};
  if (!record.is_object() ||
      !std::ranges::all_of(kParts, [&](const char* part) { return record.contains(part); })) {
    return fail(ErrorCode::kInvalid, "a step without kind, key, before and after");
  }
  return read_any(std::type_identity<kinds::AllKinds>{}, record);
}

}  // namespace spark::plan
