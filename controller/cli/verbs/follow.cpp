// The verb `follow`: this machine follows a git repository from now on, no longer, or from another
// commit.

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/question.hpp"
#include "cli/source/agent_text.hpp"
#include "cli/source/host_key.hpp"
#include "cli/source/source_check.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/confirm.hpp"
#include "config/agent.hpp"
#include "config/yaml/diagnostic.hpp"
#include "protocol/paths.hpp"
#include "protocol/source_ids.hpp"
#include "state/by_hand.hpp"
#include "state/in_force_file.hpp"
#include "state/source.hpp"

namespace spark::cli {
namespace {

constexpr const char* kSigners = "/etc/spark-reconcile/signers";
constexpr unsigned kSettingsMode = 0644;
/// The cluster file that this machine had before it followed.
constexpr const char* kFormerFile = "/etc/spark-reconcile/cluster.yaml.before-follow";
/// Of the form of a key, for settings that are only judged.
constexpr const char* kSomeHostKey = "ssh-ed25519 AAAA";

template <class T>
config::At<T> at(T value) {
  return {std::move(value), {}};
}

/// Host and port of a URL; empty: it has none.
std::string_view server_of(std::string_view url) {
  constexpr std::string_view kScheme = "://";
  const auto scheme = url.find(kScheme);
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + kScheme.size());
  url = url.substr(0, url.find('/'));
  return url.substr(url.find('@') + 1);  // npos + 1 is 0
}

/// The section that is there, with what was said now in place of what it says. What vouched for
/// another branch or another server does not vouch for this one.
config::SourceSpec spec_of(const config::SourceSpec& former, const Arguments& arguments) {
  auto spec = former;
  const auto take = [](auto& value, const std::string& given) {
    if (!given.empty()) value = at(given);
  };
  take(spec.url, arguments.source_url);
  take(spec.branch, arguments.branch);
  take(spec.path, arguments.path_in_source);
  take(spec.signers, arguments.signers);
  take(spec.revoked, arguments.revoked);
  take(spec.tag, arguments.tag);
  take(spec.ca, arguments.ca);
  if (arguments.verify) spec.verify = at(static_cast<config::Verify>(*arguments.verify));
  if (arguments.every.count() > 0) spec.every = at(arguments.every);
  if (arguments.settle.count() > 0) spec.settle = at(arguments.settle);
  if (spec.verify.value != config::Verify::kNone && !spec.signers)
    spec.signers = at(std::string(kSigners));
  if (spec.url != former.url || spec.branch != former.branch) spec.from.reset();
  if (server_of(spec.url.value) != server_of(former.url.value)) spec.host_keys.clear();
  if (!arguments.host_key.empty()) spec.host_keys = {at(arguments.host_key)};
  return spec;
}

/// agent.yaml as it is; empty text: there is none.
Result<std::string> agent_text(host::Files& files) {
  auto text = files.read(state::kAgentFile);
  if (!text) return std::unexpected(text.error());
  return text->value_or("");
}

/// agent.yaml with a section that says `source`, or without one. Findings in it are reported; the
/// error is the exit code.
std::expected<std::string, ExitCode> new_agent_text(
    const Command& command, const std::optional<config::SourceSpec>& source) {
  const auto former = agent_text(command.host.files);
  if (!former) return std::unexpected(report_error(command, former.error()));
  auto text = source ? with_source(*former, *source) : without_source(*former);
  if (!text) return std::unexpected(report_error(command, text.error(), ExitCode::kInvalidFile));
  const auto parsed = config::parse_agent(*text);
  std::string findings;
  for (const auto& diagnostic : parsed.diagnostics) {
    findings += config::render(diagnostic, state::kAgentFile, *text);
  }
  // What is wrong about the page alone keeps nobody from following.
  if (std::ranges::any_of(parsed.diagnostics, config::spoils_agent)) {
    return std::unexpected(report_outcome(command, "", ExitCode::kInvalidFile,
                                          {{"error", findings}},
                                          findings + "nothing was written\n"));
  }
  return std::move(*text);
}

/// What keeps the settings' repository from being followed; empty: nothing does.
std::string why_not(const SourceFound& source) {
  const auto& judgement = source.judgement;
  const auto& fault = judgement.refused ? judgement.refused : judgement.waits;
  if (fault) return protocol::fault_text(*fault, "\n");
  return judgement.accepted ? "" : "nothing was accepted";
}

std::string accepted_text(const protocol::Judgement& judgement,
                          const config::SourceSpec& settings) {
  const auto& accepted = *judgement.accepted;
  const std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::seconds(accepted.time)};
  std::string text =
      fmt::format("repository  {}\n{}branch      {}\ncommit      {}\n            {}, {}\n",
                  judgement.url, host_key_lines(settings.host_keys), judgement.branch,
                  accepted.commit, in_quotes(accepted.subject), utc_text(time));
  if (!accepted.tag.empty()) text += fmt::format("tag         {}\n", printable(accepted.tag));
  text += accepted.principal.empty()
              ? "signed      not verified: everybody who can push there rules this machine\n"
              : fmt::format("signed      by {}, key {}\n", printable(accepted.principal),
                            printable(accepted.key));
  return text + fmt::format("file        {}, digest {:.12}\n", judgement.path, accepted.digest);
}

std::string left_text(const std::vector<std::string>& keys) {
  return keys.empty() ? "" : fmt::format("leaves the section: {}\n", fmt::join(keys, ", "));
}

nlohmann::json body_of(const SourceFound& source, const config::SourceSpec& settings) {
  const auto& judgement = source.judgement;
  nlohmann::json body{
      {"url", judgement.url}, {"branch", judgement.branch}, {"path", judgement.path}};
  if (!settings.host_keys.empty()) body["host_keys"] = host_keys_json(settings.host_keys);
  body["commit"] = judgement.accepted ? nlohmann::json(judgement.accepted->commit) : nullptr;
  body["digest"] = judgement.accepted ? nlohmann::json(judgement.accepted->digest) : nullptr;
  body["subject"] = judgement.accepted ? nlohmann::json(judgement.accepted->subject) : nullptr;
  body["principal"] = judgement.accepted && !judgement.accepted->principal.empty()
                          ? nlohmann::json(judgement.accepted->principal)
                          : nullptr;
  const auto& fault = judgement.refused ? judgement.refused : judgement.waits;
  body["fault"] = fault ? nlohmann::json{{"id", fault->id}, {"what", fault->what}} : nullptr;
  return body;
}

/// Keeps this machine's own file beside it, where it says something else than `text`.
Result<> keep_former_file(host::Files& files, const std::optional<std::string>& text) {
  const auto own = files.read(protocol::kDefaultFile);
  if (!own) return std::unexpected(own.error());
  if (!*own || *own == text) return {};
  return files.write_durably(kFormerFile, **own, kSettingsMode);
}

/// The file of this machine goes aside with it, so that it never counts again unasked.
Result<> write_settings(host::Files& files, const std::string& text) {
  if (auto kept = keep_former_file(files, std::nullopt); !kept) return kept;
  if (auto written = files.write_durably(state::kAgentFile, text, kSettingsMode); !written) {
    return written;
  }
  return files.remove_durably(protocol::kDefaultFile);
}

ExitCode begin_to_follow(const Command& command) {
  const auto agent = agent_text(command.host.files);
  if (!agent) return report_error(command, agent.error());
  // What is wrong in it is found in the text that is to be written.
  const auto former = config::parse_agent(*agent).agent.source.value_or(config::SourceSpec{});
  auto spec = spec_of(former, command.arguments);
  const auto left = keys_left(former, spec);
  const bool lacks_host_key = spec.url.value.starts_with("ssh://") && spec.host_keys.empty();
  // All else has to be right before a server is asked for its key.
  if (lacks_host_key) spec.host_keys.push_back(at(std::string(kSomeHostKey)));
  auto draft = new_agent_text(command, spec);
  if (!draft) return draft.error();
  if (!command.arguments.json) command.terminal.print(fmt::format("asks {} …\n", spec.url.value));
  if (lacks_host_key) {
    auto key = agree_on_host_key(command, spec.url.value);
    if (!key) return key.error();
    spec.host_keys.front() = at(std::move(*key));
    draft = new_agent_text(command, spec);
    if (!draft) return draft.error();
  }
  const auto source = find_in_source(command.host, *draft);
  if (!source) return report_error(command, source.error());
  auto body = body_of(*source, spec);
  body["left"] = left;
  if (const auto why = why_not(*source); !why.empty()) {
    return report_outcome(
        command, "", ExitCode::kRefused, body,
        fitting(fmt::format("not followed, and nothing was written: {}\n", why), command.terminal));
  }
  if (const auto errors = error_text(parse_cluster_text(source->judgement.path, source->text));
      !errors.empty()) {
    return report_outcome(command, "", ExitCode::kInvalidFile, body,
                          errors + "not followed, and nothing was written: the file has errors\n");
  }
  if (!command.arguments.json) {
    command.terminal.print(accepted_text(source->judgement, spec) + left_text(left));
  }
  if (can_be_asked(command.arguments) &&
      !ask_on_terminal("Follow it from this commit on? [y/N] ").value_or(false)) {
    command.terminal.print_always("not followed; nothing was written\n");
    return ExitCode::kRefused;
  }
  spec.from = at(source->judgement.accepted->commit);
  const auto text = new_agent_text(command, spec);
  if (!text) return text.error();
  const bool has_own = command.host.files.read(protocol::kDefaultFile).value_or("").has_value();
  if (auto written = write_settings(command.host.files, *text); !written) {
    return report_error(command, written.error());
  }
  const auto code = report_outcome(
      command, "", ExitCode::kDone, body,
      fitting(fmt::format("{} has it: the daemon fetches every {} s and applies what is signed{}\n",
                          state::kAgentFile, spec.every.value.count() / 1000,
                          has_own ? fmt::format("; the former {} is {} now", protocol::kDefaultFile,
                                                kFormerFile)
                                  : ""),
              command.terminal));
  print_next(command.terminal, command.arguments, "How far it is", "spark-reconcile sync");
  return code;
}

/// Proves the chain from the commit where this machine began, and applies nothing.
ExitCode check_chain(const Command& command) {
  const auto settings = followed_settings(command);
  if (!settings) return settings.error();
  const auto text = agent_text(command.host.files);
  if (!text) return report_error(command, text.error());
  const auto source = find_in_source(command.host, *text);
  if (!source) return report_error(command, source.error());
  const auto why = why_not(*source);
  return report_outcome(
      command, "", why.empty() ? ExitCode::kDone : ExitCode::kRefused, body_of(*source, *settings),
      why.empty() ? accepted_text(source->judgement, *settings)
                  : fitting(fmt::format("would not be taken: {}\n", why), command.terminal));
}

ExitCode accept_by_hand(const Command& command) {
  auto settings = followed_settings(command);
  if (!settings) return settings.error();
  settings->from = at(command.arguments.accept);
  const auto text = new_agent_text(command, *settings);
  if (!text) return text.error();
  if (auto written = command.host.files.write_durably(state::kAgentFile, *text, kSettingsMode);
      !written) {
    return report_error(command, written.error());
  }
  command.log.write(
      5 /* notice, syslog(3) */,
      fmt::format("follows from commit {} on, accepted by hand", command.arguments.accept));
  const auto code = report_outcome(
      command, "", ExitCode::kDone, {{"from", command.arguments.accept}},
      fitting(fmt::format("follows from {} on: it is judged as any other, and what it was before "
                          "counts no more\n",
                          command.arguments.accept),
              command.terminal));
  print_next(command.terminal, command.arguments, "Fetch and judge now", "spark-reconcile sync");
  return code;
}

/// The file in force becomes the one of this machine: nothing changes but where it comes from.
/// False: no file of it was ever in force.
Result<bool> keep_file_in_force(host::Files& files) {
  auto known = state::read_in_force(files);
  if (!known) return std::unexpected(known.error());
  const auto* text = known->text();
  if (text == nullptr) return false;
  if (auto kept = keep_former_file(files, *text); !kept) return std::unexpected(kept.error());
  if (auto written = files.write_durably(protocol::kDefaultFile, *text, kSettingsMode); !written) {
    return std::unexpected(written.error());
  }
  return true;
}

ExitCode stop_following(const Command& command) {
  auto& files = command.host.files;
  const auto settings = state::read_source(files, command.arguments.root);
  const auto kept_url = state::followed_url(files);
  if (!kept_url) return report_error(command, kept_url.error());
  // Where the section is gone already, what was kept of it says what ends.
  if (!*kept_url || (settings && *settings)) {
    if (const auto followed = followed_settings(command); !followed) return followed.error();
  }
  const auto text = new_agent_text(command, std::nullopt);
  if (!text) return text.error();
  const auto lock = take_lock(command);
  if (!lock) return lock.error();
  const auto kept = keep_file_in_force(files);
  if (!kept) return report_error(command, kept.error());
  // No file is on trial any more: nobody asks for one. That, and what was accepted, goes first: who
  // is killed behind it does the rest the next time.
  const auto told = state::tell_in_force(files, state::events::SourceStopped{});
  if (!told) return report_error(command, told.error());
  auto done = files.remove_durably(protocol::kJudgementFile);
  if (const auto former = agent_text(files); done && (!former || *former != *text)) {
    done = text->empty() ? files.remove_durably(state::kAgentFile)
                         : files.write_durably(state::kAgentFile, *text, kSettingsMode);
  }
  if (done) done = state::end_following(files);
  if (done) done = state::note_by_hand(files);  // the daemon looks again
  if (!done) return report_error(command, done.error());
  const auto url = settings && *settings ? (*settings)->url.value : **kept_url;
  return report_outcome(
      command, "", ExitCode::kDone, {{"url", url}},
      fitting(fmt::format("no longer follows {}; {}\n", printable(url),
                          *kept ? fmt::format("{} is the file in force now, and is yours to change",
                                              protocol::kDefaultFile)
                                : std::string("no file of it was ever in force")),
              command.terminal));
}

/// What is followed, without asking anybody.
ExitCode show_what_is_followed(const Command& command) {
  const auto settings = followed_settings(command);
  if (!settings) return settings.error();
  const auto judgement = state::read_judgement(command.host.files);
  if (!judgement) return report_error(command, judgement.error());
  const SourceFound source{
      .judgement = judgement->value_or(protocol::Judgement{.url = settings->url.value,
                                                           .branch = settings->branch.value,
                                                           .path = settings->path.value}),
      .text = {}};
  std::string text =
      source.judgement.accepted
          ? accepted_text(source.judgement, *settings)
          : fmt::format("follows {}; nothing was accepted yet\n", settings->url.value);
  for (const auto& fault : {source.judgement.refused, source.judgement.waits}) {
    if (fault) text += fmt::format("not taken   {}\n", protocol::fault_text(*fault, "\n"));
  }
  return report_outcome(command, "", ExitCode::kDone, body_of(source, *settings), text);
}

}  // namespace

ExitCode follow(const Command& command) {
  const auto& arguments = command.arguments;
  if (arguments.stop) return stop_following(command);
  if (arguments.check) return check_chain(command);
  if (!arguments.accept.empty()) return accept_by_hand(command);
  return arguments.source_url.empty() ? show_what_is_followed(command) : begin_to_follow(command);
}

}  // namespace spark::cli
