#pragma once
// make_step: makes a step of a change of any kind, so that nobody has to know the kind.
// read_change: the reverse.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_reader.hpp"
#include "base/json_writer.hpp"
#include "host/json/view_fields.hpp"  // values of kinds hold rows of a View
#include "plan/step.hpp"

namespace spark::plan {

template <class K>
constexpr bool kFromNetlink = requires { K::kFromNetlink; };

/// By the members of the kind's Key.
template <class Key>
OnLink on_link(const Key& key) {
  OnLink on;
  if constexpr (requires { key.link; }) on.link = key.link;
  if constexpr (requires { key.ip; }) on.ip = key.ip;
  return on;
}

template <class K>
std::optional<std::string> label_of(const std::optional<kinds::Stated<K>>& value) {
  return value ? std::optional(K::label(*value)) : std::nullopt;
}

/// Most kinds never wait, and return what was made of the change.
template <class K>
kinds::Outcome carry_out(const kinds::Change<K>& change, host::Host& host) {
  if constexpr (std::same_as<decltype(K::apply(change, host)), Result<>>) {
    return kinds::outcome_of(K::apply(change, host));
  } else {
    return K::apply(change, host);
  }
}

/// The change that a step's record describes. Errors: kInvalid, saying where the record is wrong.
template <class K>
Result<kinds::Change<K>> read_change(const nlohmann::json& record) {
  kinds::Change<K> change;
  JsonReader reader;
  reader.read(record["key"], change.key);
  reader.read(record["before"], change.before);
  reader.read(record["after"], change.after);
  if (!reader.problem().empty()) {
    return fail(ErrorCode::kInvalid, fmt::format("{}: {}", K::kName, reader.problem()));
  }
  if (!change.before && !change.after) {
    return fail(ErrorCode::kInvalid, fmt::format("{}: a step without values", K::kName));
  }
  return change;
}

template <class K>
Step make_step(kinds::Change<K> change, config::Where where) {
  Step step{.kind = K::kName,
            .key = K::label(change.key),
            .on = on_link(change.key),
            .before = label_of<K>(change.before),
            .after = label_of<K>(change.after),
            .effect = K::effect(change),
            .where = where};
  if constexpr (requires(const kinds::Stated<K>& value) { K::left(value); }) {
    if (!change.after) step.left = K::left(*change.before);
  }
  step.is_volatile = kFromNetlink<K>;
  if constexpr (requires { K::files(change); }) step.files = K::files(change);
  if constexpr (requires { K::after_rollback(change); }) {
    step.after_rollback = label_of<K>(K::after_rollback(change));
  }
  // Shared by all these functions, and by every copy of the step.
  const auto shared = std::make_shared<const kinds::Change<K>>(std::move(change));
  step.record = [shared] {
    return nlohmann::json{{"kind", K::kName},
                          {"key", JsonWriter::write(shared->key)},
                          {"before", JsonWriter::write(shared->before)},
                          {"after", JsonWriter::write(shared->after)}};
  };
  step.roll_back = [shared](host::Host& host) { return carry_out<K>(shared->reversed(), host); };
  step.apply = [shared](host::Host& host) { return carry_out<K>(*shared, host); };
  if constexpr (requires(host::Host& host, const kinds::Ledger& ledger) {
                  K::clean_up(*shared, ledger, host);
                }) {
    step.clean_up = [shared](const kinds::Ledger& remembered, host::Host& host) {
      return K::clean_up(*shared, remembered, host);
    };
  }
  return step;
}

}  // namespace spark::plan
