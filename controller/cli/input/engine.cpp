#include "cli/input/engine.hpp"

#include <string_view>

#include "cli/input/verb.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kOption = "--engine";

bool is_engine(std::string_view name) {
  for (const auto& word : Value::kEngine.words) {
    if (word.text == name) return true;
  }
  return false;
}

}  // namespace

std::optional<EngineCall> engine_call(std::span<const char* const> words) {
  if (words.size() < 3) return std::nullopt;
  const auto* verb = verb_named(words[1]);
  if (verb == nullptr || option_named(verb, kOption) == nullptr) return std::nullopt;
  std::string_view option = words[2];
  std::string_view name;
  std::size_t next = 3;
  if (option == kOption && words.size() > next) {
    name = words[next++];
  } else if (option.starts_with(kOption) && option.substr(kOption.size()).starts_with('=')) {
    name = option.substr(kOption.size() + 1);
  }
  if (!is_engine(name)) return std::nullopt;
  const auto package = "spark-reconcile-" + std::string(name);
  EngineCall call{.program = "/usr/bin/" + package, .package = package, .words = {package}};
  call.words.emplace_back(verb->name);
  for (const auto* word : words.subspan(next)) call.words.emplace_back(word);
  return call;
}

}  // namespace spark::cli
