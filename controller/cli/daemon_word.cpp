#include "cli/daemon_word.hpp"

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/paths.hpp"

namespace spark {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

DaemonWord word_of(const json& document) {
  DaemonWord word{.verdict = text_of(document, "verdict"),
                  .why = text_of(document, "why"),
                  .generated_at = text_of(document, "generated_at"),
                  .file = text_of(document.at("file"), "path"),
                  .digest = text_of(document, "digest")};
  if (const auto& refused = document.at("file").at("refused"); refused.is_object()) {
    word.refused = text_of(refused, "first");
  }
  if (const auto& paused = document.at("paused"); paused.is_object()) {
    const auto reason = text_of(paused, "reason");
    word.paused =
        fmt::format("until {}{}", text_of(paused, "until"), reason.empty() ? "" : ", " + reason);
  }
  for (const auto& episode : document.at("drift")) {
    if (const auto state = text_of(episode, "state"); state != "differs") {
      const auto remedy = text_of(episode, "remedy");
      word.left_alone.push_back(fmt::format("{} {}: {}: {}{}", text_of(episode, "kind"),
                                            text_of(episode, "key"), state, text_of(episode, "why"),
                                            remedy.empty() ? "" : "\n    " + remedy));
    }
  }
  return word;
}

}  // namespace

Result<json> read_daemon_status(Files& files) {
  const auto text = files.read(kStatusFile);
  if (!text) return std::unexpected(text.error());
  auto document = json::parse(text->value_or(""), nullptr, false);
  return document.is_object() ? std::move(document) : json(nullptr);
}

Result<std::optional<DaemonWord>> read_daemon_word(Files& files) {
  const auto document = read_daemon_status(files);
  if (!document) return std::unexpected(document.error());
  try {
    return document->is_null() ? std::nullopt : std::optional(word_of(*document));
  } catch (const json::exception&) {
    return std::nullopt;  // of another version
  }
}

std::string daemon_text(const DaemonWord& word) {
  auto text = fmt::format("daemon: {}{}{} (at {})\n", word.verdict, word.why.empty() ? "" : ": ",
                          word.why, word.generated_at);
  if (!word.paused.empty()) {
    text += fmt::format("  paused {}; `spark-reconcile resume` ends it\n", word.paused);
  }
  if (!word.refused.empty()) {
    text += fmt::format("  the file is refused, the last good one is in force: {}\n", word.refused);
  }
  for (const auto& resource : word.left_alone) {
    text += fmt::format("  {}\n", resource);
  }
  return text;
}

}  // namespace spark
