#include "cli/daemon_status.hpp"

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

DaemonStatus word_of(const json& document) {
  DaemonStatus word{.verdict = text_of(document, "verdict"),
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
  // Daemons of earlier versions do not tell.
  word.released = document.value("released", json()).is_object();
  word.file_waits = document.at("file").value("waits", false);
  for (const auto& drift : document.at("drift")) {
    if (text_of(drift, "state") != "differs") {
      word.left_alone.push_back(drift_text(drift));
    }
  }
  return word;
}

}  // namespace

std::string drift_text(const json& drift) {
  const auto state = text_of(drift, "state");
  const auto until = text_of(drift, "held_until");
  const auto remedy = text_of(drift, "remedy");
  auto text = fmt::format("{} {}: {}{}: {}", text_of(drift, "kind"), text_of(drift, "key"), state,
                          until.empty() ? "" : " until " + until, text_of(drift, "why"));
  if (!remedy.empty()) {
    text += "\n    " + remedy;
  }
  if (state == "contested") {
    text += "\n    stop who changes it, then `spark-reconcile resume` corrects it again at once";
  }
  return text;
}

Result<json> read_daemon_status(host::Files& files) {
  const auto text = files.read(protocol::kStatusFile);
  if (!text) return std::unexpected(text.error());
  auto document = json::parse(text->value_or(""), nullptr, false);
  return document.is_object() ? std::move(document) : json(nullptr);
}

Result<std::optional<DaemonStatus>> read_last_status(host::Files& files) {
  const auto document = read_daemon_status(files);
  if (!document) return std::unexpected(document.error());
  try {
    return document->is_null() ? std::nullopt : std::optional(word_of(*document));
  } catch (const json::exception&) {
    return std::nullopt;  // of another version
  }
}

std::string daemon_text(const DaemonStatus& word) {
  auto text = fmt::format("daemon: {}{}{} (at {})\n", word.verdict, word.why.empty() ? "" : ": ",
                          word.why, word.generated_at);
  if (!word.paused.empty()) {
    text += fmt::format("  paused {}; `spark-reconcile resume` ends it\n", word.paused);
  }
  if (!word.refused.empty()) {
    text += fmt::format("  the file is refused, {}: {}\n",
                        word.digest.empty() ? "and no file was ever applied, so nothing is set"
                                            : "the last good one is in force",
                        word.refused);
  }
  if (word.file_waits) {
    text += "  the file has changed; it would be applied after `spark-reconcile resume`\n";
  }
  for (const auto& resource : word.left_alone) {
    text += fmt::format("  {}\n", resource);
  }
  return text;
}

}  // namespace spark::cli
