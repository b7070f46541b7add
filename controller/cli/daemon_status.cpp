#include "cli/daemon_status.hpp"

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "gate/gate_json.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {

template <EitherConst<CableShown> T, class Visit>
void each_field(T& cable, Visit visit) {
  visit("state", may_lack(cable.state));
  visit("by", cable.by);
}

namespace {

using nlohmann::json;

// The parts of schema/output/daemon-status.schema.json that verbs show. Daemons of earlier versions
// lack some of them.

struct RefusedFile {
  std::string first;
};

template <EitherConst<RefusedFile> T, class Visit>
void each_field(T& refused, Visit visit) {
  visit("first", may_lack(refused.first));
}

struct FollowedFile {
  std::string path;
  std::optional<RefusedFile> refused;
  bool waits = false;
};

template <EitherConst<FollowedFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("path", may_lack(file.path));
  visit("refused", file.refused);
  visit("waits", may_lack(file.waits));
}

struct PauseShown {
  std::string until;
  std::string reason;
};

template <EitherConst<PauseShown> T, class Visit>
void each_field(T& pause, Visit visit) {
  visit("until", may_lack(pause.until));
  visit("reason", may_lack(pause.reason));
}

struct ReleaseShown {};

template <EitherConst<ReleaseShown> T, class Visit>
void each_field(T& /*release*/, Visit /*visit*/) {}

struct SourceShown {
  std::vector<std::string> says;
};

template <EitherConst<SourceShown> T, class Visit>
void each_field(T& source, Visit visit) {
  visit("says", may_lack(source.says));
}

struct DriftShown {
  std::string kind;
  std::string key;
  std::string state;
  std::string why;
  std::optional<std::string> held_until;
  std::optional<std::string> remedy;
};

template <EitherConst<DriftShown> T, class Visit>
void each_field(T& drift, Visit visit) {
  visit("kind", may_lack(drift.kind));
  visit("key", may_lack(drift.key));
  visit("state", may_lack(drift.state));
  visit("why", may_lack(drift.why));
  visit("held_until", drift.held_until);
  visit("remedy", drift.remedy);
}

struct WaitShown {
  std::string kind;
  std::string key;
  std::optional<std::string> have;
  std::optional<std::string> want;
  std::string since;
  std::vector<std::string> reasons;
};

template <EitherConst<WaitShown> T, class Visit>
void each_field(T& wait, Visit visit) {
  visit("kind", may_lack(wait.kind));
  visit("key", may_lack(wait.key));
  visit("have", wait.have);
  visit("want", wait.want);
  visit("since", may_lack(wait.since));
  visit("reasons", wait.reasons);
}

struct RolloutWaitShown {
  std::string node;
  std::string why;
};

template <EitherConst<RolloutWaitShown> T, class Visit>
void each_field(T& wait, Visit visit) {
  visit("node", may_lack(wait.node));
  visit("why", may_lack(wait.why));
}

struct RolloutShown {
  std::string digest;
  std::vector<RolloutWaitShown> waits;
  std::vector<std::string> skipped;
};

template <EitherConst<RolloutShown> T, class Visit>
void each_field(T& rollout, Visit visit) {
  visit("digest", may_lack(rollout.digest));
  visit("waits", may_lack(rollout.waits));
  visit("skipped", may_lack(rollout.skipped));
}

struct LinkShown {
  std::string name;
  std::optional<CableShown> cabling;
};

template <EitherConst<LinkShown> T, class Visit>
void each_field(T& link, Visit visit) {
  visit("name", may_lack(link.name));
  visit("cabling", link.cabling);
}

struct SignShown {
  std::string name;
  std::optional<std::string> subject;
  bool fault = false;
  std::string what;
  std::optional<std::string> remedy;
};

template <EitherConst<SignShown> T, class Visit>
void each_field(T& sign, Visit visit) {
  visit("name", may_lack(sign.name));
  visit("subject", sign.subject);
  visit("fault", may_lack(sign.fault));
  visit("what", may_lack(sign.what));
  visit("remedy", sign.remedy);
}

struct HardwareShown {
  std::vector<SignShown> signs;
};

template <EitherConst<HardwareShown> T, class Visit>
void each_field(T& hardware, Visit visit) {
  visit("signs", hardware.signs);
}

struct StatusShown {
  std::string verdict;
  std::string why;
  std::string generated_at;
  std::optional<std::string> node;
  std::optional<std::string> digest;
  FollowedFile file;
  std::optional<SourceShown> source;
  std::optional<PauseShown> paused;
  std::optional<ReleaseShown> released;
  std::optional<RolloutShown> rollout;
  std::vector<DriftShown> drift;
  std::vector<WaitShown> disturb_waits;
  std::vector<LinkShown> links;
  std::optional<HardwareShown> hardware;
  std::vector<MutedAlert> muted;
};

template <EitherConst<StatusShown> T, class Visit>
void each_field(T& status, Visit visit) {
  visit("verdict", may_lack(status.verdict));
  visit("why", may_lack(status.why));
  visit("generated_at", may_lack(status.generated_at));
  visit("node", status.node);
  visit("digest", status.digest);
  visit("file", status.file);
  visit("source", status.source);
  visit("paused", status.paused);
  visit("released", status.released);
  visit("rollout", status.rollout);
  visit("drift", status.drift);
  visit("disturb_waits", may_lack(status.disturb_waits));
  visit("links", may_lack(status.links));
  visit("hardware", status.hardware);
  visit("muted", may_lack(status.muted));
}

// What is shown is made printable: some of it is what others call their files and processes.

std::string drift_text(const DriftShown& drift) {
  const auto until = drift.held_until.value_or("");
  const auto remedy = drift.remedy.value_or("");
  auto text = printable(fmt::format("{} {}: {}{}: {}", drift.kind, drift.key, drift.state,
                                    until.empty() ? "" : " until " + until, drift.why));
  if (!remedy.empty()) {
    text += "\n    " + printable(remedy);
  }
  if (drift.state == "contested") {
    text += "\n    stop who changes it, then `spark-reconcile resume` corrects it again at once";
  }
  return text;
}

std::string wait_text(const WaitShown& wait) {
  auto text = printable(fmt::format("{} {}: {} → {} waits since {}", wait.kind, wait.key,
                                    or_absent(wait.have), or_absent(wait.want), wait.since));
  for (const auto& reason : wait.reasons) text += "\n    " + printable(reason);
  return text;
}

/// "the roll-out of 3f9a1c0d2e4b waits for spark3, which tries it".
std::vector<std::string> rollout_lines(const RolloutShown& rollout) {
  std::vector<std::string> lines;
  for (const auto& wait : rollout.waits) {
    lines.push_back(printable(fmt::format("the roll-out of {:.12} waits for {}, which {}",
                                          rollout.digest, wait.node, wait.why)));
  }
  for (const auto& skipped : rollout.skipped) {
    lines.push_back(printable("it does not wait for " + skipped));
  }
  return lines;
}

DaemonStatus word_of(const StatusShown& status) {
  DaemonStatus word{.node = printable(status.node.value_or("")),
                    .verdict = printable(status.verdict),
                    .why = printable(status.why),
                    .refused = printable(status.file.refused ? status.file.refused->first : ""),
                    .released = status.released.has_value(),
                    .file_waits = status.file.waits,
                    .generated_at = printable(status.generated_at),
                    .file = status.file.path,
                    .digest = status.digest.value_or("")};
  if (const auto& paused = status.paused) {
    word.paused = printable(fmt::format("until {}{}", paused->until,
                                        paused->reason.empty() ? "" : ", " + paused->reason));
  }
  if (status.source) {
    for (const auto& line : status.source->says) word.source.push_back(printable(line));
  }
  if (status.rollout) word.rollout = rollout_lines(*status.rollout);
  word.muted = status.muted;
  for (const auto& link : status.links) {
    if (link.cabling) word.cables.emplace(link.name, *link.cabling);
  }
  for (const auto& wait : status.disturb_waits) word.waits.push_back(wait_text(wait));
  for (const auto& drift : status.drift) {
    if (drift.state != "differs") {
      word.left_alone.push_back(drift_text(drift));
    }
  }
  if (status.hardware) {
    for (const auto& sign : status.hardware->signs) {
      if (!sign.fault) continue;
      word.hardware.push_back({.name = sign.name,
                               .subject = printable(sign.subject.value_or("")),
                               .what = printable(sign.what),
                               .remedy = printable(sign.remedy.value_or(""))});
    }
  }
  return word;
}

}  // namespace

bool is_no_node_of_its_file(const DaemonStatus& word) {
  return word.node.empty() && word.refused.empty() && !word.digest.empty();
}

std::string drift_text(const json& drift) {
  return drift_text(value_from<DriftShown>(drift).value_or(DriftShown{}));
}

Result<json> read_daemon_status(host::Files& files) {
  const auto text = files.read(protocol::kStatusFile);
  if (!text) return std::unexpected(text.error());
  auto document = json::parse(text->value_or(""), nullptr, false);
  return document.is_object() ? std::move(document) : json(nullptr);
}

std::string daemon_lock(const std::string& root) {
  return (root == "/" ? "" : root) + protocol::kDaemonLockFile;
}

Result<std::optional<DaemonStatus>> read_last_status(host::Files& files) {
  const auto document = read_daemon_status(files);
  if (!document) return std::unexpected(document.error());
  const auto status = value_from<StatusShown>(*document);
  if (!status) {
    return std::nullopt;  // there is none, or one of another version
  }
  return word_of(*status);
}

std::optional<gate::GateReport> read_last_gate(host::Files& files,
                                               const std::optional<std::string>& digest) {
  const auto status = read_daemon_status(files);
  if (!status || !status->is_object() || (digest && status->value("digest", json()) != *digest)) {
    return std::nullopt;
  }
  auto report = gate::report_from_json(status->value("gate", json()));
  return report ? std::optional(*std::move(report)) : std::nullopt;
}

std::string daemon_text(const DaemonStatus& word) {
  auto text = fmt::format("daemon: {}{}{} (at {})\n", word.verdict, word.why.empty() ? "" : ": ",
                          word.why, word.generated_at);
  for (const auto& line : word.source) text += fmt::format("  {}\n", line);
  if (!word.paused.empty()) {
    text += fmt::format("  paused {}; `spark-reconcile resume` ends it\n", word.paused);
  }
  text += muted_text(word.muted);
  if (!word.refused.empty()) {
    text += fmt::format("  the file is refused, {}: {}\n",
                        word.digest.empty() ? "and no file was ever applied, so nothing is set"
                                            : "the last good one is in force",
                        word.refused);
  }
  if (word.file_waits) {
    text += "  the file has changed; it would be applied after `spark-reconcile resume`\n";
  }
  for (const auto& line : word.rollout) text += fmt::format("  {}\n", line);
  for (const auto& resource : word.left_alone) {
    text += fmt::format("  {}\n", resource);
  }
  for (const auto& wait : word.waits) {
    text += fmt::format("  {}\n", wait);
  }
  if (!word.waits.empty()) {
    text +=
        "  made once the job has ended; `spark-reconcile apply` makes it now, and disturbs it\n";
  }
  return text;
}

}  // namespace spark::cli
