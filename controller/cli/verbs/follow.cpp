// The verb `follow`: this machine follows a git repository from now on, no longer, or from another
// commit.

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/question.hpp"
#include "cli/source/agent_text.hpp"
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

// In the order of config::Verify.
constexpr std::array kVerifyModes{
    Word{"head", "the commit whose file is taken is signed (the default)"},
    Word{"range", "so is each commit of the first-parent line"},
    Word{"tag", "a tag at or below the branch's head is signed"},
    Word{"none", "nobody is asked to sign"}};
constexpr Value kUrlValue{"URL", {}, "a URL", "https://HOST/PATH"};
constexpr Value kVerifyValue{"MODE", kVerifyModes};
constexpr Value kPatternValue{"PATTERN", {}, "a pattern", "v*"};
constexpr Value kHostKeyValue{"KEY", {}, "the key of a server", "ssh-ed25519 AAAA..."};
constexpr Value kCommitValue{"COMMIT", {}, "the id of a commit", "3f9a1c02b4d6"};

/// Empty, and 0: not given.
struct FollowArguments {
  std::string url;
  std::string branch;
  std::string path;
  std::string signers;
  std::optional<config::Verify> verify;
  std::string tag;
  std::string revoked;
  std::string host_key;
  std::string ca;
  std::chrono::milliseconds every{0};
  std::chrono::milliseconds settle{0};
  bool check = false;
  std::string accept;  ///< a commit
  bool stop = false;
};

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
config::SourceSpec spec_of(const config::SourceSpec& former, const FollowArguments& own) {
  auto spec = former;
  const auto take = [](auto& value, const std::string& given) {
    if (!given.empty()) value = at(given);
  };
  take(spec.url, own.url);
  take(spec.branch, own.branch);
  take(spec.path, own.path);
  take(spec.signers, own.signers);
  take(spec.revoked, own.revoked);
  take(spec.tag, own.tag);
  take(spec.ca, own.ca);
  if (own.verify) spec.verify = at(*own.verify);
  if (own.every.count() > 0) spec.every = at(own.every);
  if (own.settle.count() > 0) spec.settle = at(own.settle);
  if (spec.verify.value != config::Verify::kNone && !spec.signers)
    spec.signers = at(std::string(kSigners));
  if (spec.url != former.url || spec.branch != former.branch) spec.from.reset();
  if (server_of(spec.url.value) != server_of(former.url.value)) spec.host_keys.clear();
  if (!own.host_key.empty()) spec.host_keys = {at(own.host_key)};
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
  auto spec = spec_of(former, own_options<FollowArguments>(command));
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
  const auto& commit = own_options<FollowArguments>(command).accept;
  settings->from = at(commit);
  const auto text = new_agent_text(command, *settings);
  if (!text) return text.error();
  if (auto written = command.host.files.write_durably(state::kAgentFile, *text, kSettingsMode);
      !written) {
    return report_error(command, written.error());
  }
  command.log.write(5 /* notice, syslog(3) */,
                    fmt::format("follows from commit {} on, accepted by hand", commit));
  const auto code = report_outcome(
      command, "", ExitCode::kDone, {{"from", commit}},
      fitting(fmt::format("follows from {} on: it is judged as any other, and what it was before "
                          "counts no more\n",
                          commit),
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
                                                           .path = settings->path.value})};
  std::string text =
      source.judgement.accepted
          ? accepted_text(source.judgement, *settings)
          : fmt::format("follows {}; nothing was accepted yet\n", settings->url.value);
  for (const auto& fault : {source.judgement.refused, source.judgement.waits}) {
    if (fault) text += fmt::format("not taken   {}\n", protocol::fault_text(*fault, "\n"));
  }
  return report_outcome(command, "", ExitCode::kDone, body_of(source, *settings), text);
}

ExitCode follow(const Command& command) {
  const auto& own = own_options<FollowArguments>(command);
  if (own.stop) return stop_following(command);
  if (own.check) return check_chain(command);
  if (!own.accept.empty()) return accept_by_hand(command);
  return own.url.empty() ? show_what_is_followed(command) : begin_to_follow(command);
}

constexpr auto kFollowOptions = std::to_array<OptionRow>({
    {"URL", &kUrlValue, in<&FollowArguments::url>(),
     "https://host/path, ssh://git@host/path, file:///path or file:///path/x.bundle"},
    {"--branch", &Value::kText, in<&FollowArguments::branch>(), "default main", {}, "main"},
    {"--path",
     &Value::kText,
     in<&FollowArguments::path>(),
     "the file in the repository (default cluster.yaml)",
     {},
     "cluster.yaml"},
    {"--signers", &Value::kFile, in<&FollowArguments::signers>(),
     "the keys whose signatures count (default /etc/spark-reconcile/signers)"},
    {"--verify", &kVerifyValue, in<&FollowArguments::verify>(),
     "what has to be signed: head (default), range, tag or none"},
    {"--tag", &kPatternValue, in<&FollowArguments::tag>(),
     "with --verify tag: which tags, as v* (default *)"},
    {"--revoked", &Value::kFile, in<&FollowArguments::revoked>(), "keys that count no more"},
    {"--host-key", &kHostKeyValue, in<&FollowArguments::host_key>(),
     "ssh: the server's key, 'ssh-ed25519 AAAA...' (default: it is shown, and you are asked)"},
    {"--ca", &Value::kFile, in<&FollowArguments::ca>(),
     "https: the certificates that are trusted instead of the system's"},
    {"--every",
     &Value::kDuration,
     in<&FollowArguments::every>(),
     "how often it is fetched (5s to 24h, default 60s)",
     {"5s", "24h", "sm"}},
    {"--settle",
     &Value::kDuration,
     in<&FollowArguments::settle>(),
     "a file counts as good when nothing that held before fails for so long (at "
     "most 24h, default 2m)",
     {"", "24h", "ms"}},
    {"--check", &Value::kNone, in<&FollowArguments::check>(),
     "prove the chain from the first commit to the newest; apply nothing"},
    {"--accept", &kCommitValue, in<&FollowArguments::accept>(),
     "begin again at this commit: the way out of a rewind that is meant"},
    {"--stop", &Value::kNone, in<&FollowArguments::stop>(),
     "follow it no longer; the file in force stays"},
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "ask nothing; a terminal asks before the repository is followed"},
});

constexpr auto kFollowMeant = std::to_array<Meaning>({
    {"off,none,no,false,disable,end,quit,remove,delete,unfollow",
     "following is ended by `sudo spark-reconcile follow --stop`"},
});

/// Alone it shows what is followed, which all may.
bool follow_is_for_root(const Arguments& arguments) {
  const auto& own = own_options<FollowArguments>(arguments);
  return !own.url.empty() || own.stop || own.check || !own.accept.empty();
}

/// The branch, or what else stands behind the URL.
std::string advise_follow(const ExtraWord& extra) {
  const auto& url = extra.line.arguments.front();
  const TypedLine branched(
      words_with(extra.line.words, extra.argument.at, {"--branch", extra.argument.text}));
  return fmt::format("the branch is named by --branch: {}",
                     url.text.contains("://")
                         ? line_to_type(branched.words)
                         : line_with(branched, url.at, {std::string(sample_of(kUrlValue))}));
}

/// Why a word is no URL of a repository; empty: it may be one.
std::string fault_of_url(const TypedLine& line, const std::string& url) {
  const auto found = std::ranges::find(line.arguments, url, &TypedArgument::text);
  if (url.empty() || url.contains("://") || found == line.arguments.end()) return {};
  if (const auto* meant = option_named(line.verb, "--" + url)) {
    return fmt::format("follow takes a URL, and {} is an option: {}", long_name(*meant),
                       line_to_type(verb_and(*line.verb, with_sample(*meant))));
  }
  if (const auto meant = meant_by_word(*line.verb, url); !meant.empty()) {
    return fmt::format("follow takes a URL, not {}: {}", in_quotes(url), meant);
  }
  const auto with_url = [&](const std::string& whole) {
    return fmt::format("{} is no URL: {}", in_quotes(url), line_with(line, found->at, {whole}));
  };
  const auto colon = url.find(':');
  const auto slash = url.find('/');
  // As git and scp take it: user@host:path.
  if (colon != std::string::npos && colon > 0 && colon < slash) {
    const auto path = url.substr(colon + 1);
    return with_url("ssh://" + url.substr(0, colon) + (path.starts_with('/') ? "" : "/") + path);
  }
  if (slash == 0) return with_url("file://" + url);
  const bool has_host = slash != std::string::npos && url.find('.') < slash && url[0] != '.';
  return with_url(has_host ? "https://" + url : std::string(sample_of(kUrlValue)));
}

std::string contradiction_of_follow(const Arguments& arguments, const TypedLine& line) {
  const auto& own = own_options<FollowArguments>(arguments);
  if (auto what = fault_of_url(line, own.url); !what.empty()) return what;
  const int tasks = static_cast<int>(!own.url.empty()) + static_cast<int>(own.stop) +
                    static_cast<int>(own.check) + static_cast<int>(!own.accept.empty());
  return tasks > 1 ? "follow takes one of URL, --check, --accept COMMIT and --stop: "
                     "`spark-reconcile follow` alone shows what is followed"
                   : "";
}

}  // namespace

extern const VerbSpec kFollowVerb{
    .name = "follow",
    .group = VerbGroup::kService,
    .about = "have this machine follow a git repository: the file, and whom it trusts",
    .needs_root = true,
    .options = own_rows<FollowArguments>(kFollowOptions),
    .meant = kFollowMeant,
    .is_for_root = follow_is_for_root,
    .advise = advise_follow,
    .check = contradiction_of_follow,
    .run = follow};

}  // namespace spark::cli
