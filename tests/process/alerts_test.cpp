// Alerts at the programs that are to understand them: Debian's Alertmanager with a receiver behind
// it, and journald with its catalog.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "daemon/alerts/alert_rules.hpp"
#include "daemon/alerts/sinks/alert_formats.hpp"
#include "daemon/alerts/sinks/alert_sinks.hpp"
#include "daemon/alerts/sinks/journal_sink.hpp"
#include "fake/http_receiver.hpp"
#include "fake/temporary_folder.hpp"
#include "process/command.hpp"

namespace spark::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A server in the background, its output in a file.
class Server {
 public:
  Server(std::vector<std::string> words, const std::string& output) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    EXPECT_EQ(posix_spawnp(&child_, argv[0], &actions, nullptr, argv.data(), environ), 0)
        << words[0];
    posix_spawn_file_actions_destroy(&actions);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() { end(); }

  void end() {
    if (child_ == 0) return;
    kill(child_, SIGTERM);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

node_state::NodeState looked_at() {
  node_state::NodeState state;
  state.node = "spark1";
  state.cluster = "lab";
  state.file.digest = "d1";
  state.gate.emplace();
  state.verdict = gate::Verdict::kReady;
  state.counters.passes = 1;
  return state;
}

node_state::Drift drift(const std::string& key, node_state::Drift::State what,
                        const Moment& since) {
  return {.kind = "mtu", .key = key, .state = what, .have = "1500", .want = "9000", .since = since};
}

class Alerts : public testing::Test {
 protected:
  daemon::SinkEvents events() {
    return {.log = [this](std::string_view line) { log_ += std::string(line) + "\n"; },
            .changed = [] {}};
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
  boost::asio::io_context context_;
  std::string log_;
};

class AtAlertmanager : public Alerts {
 protected:
  AtAlertmanager() {
    std::ofstream(folder_ / "alertmanager.yml")
        << "route: { receiver: test, group_by: [alertname], group_wait: 100ms,\n"
           "         group_interval: 200ms, repeat_interval: 1h }\n"
           "receivers:\n  - name: test\n    webhook_configs: [{ url: \""
        << receiver_.url("/") << "\" }]\n";
    spec_.alertmanagers = {{"http://127.0.0.1:" + std::to_string(port_), {}}};
    spec_.hooks.value = folder_ / "none";
    start();
  }

  void start() {
    alertmanager_.emplace(
        std::vector<std::string>{"prometheus-alertmanager",
                                 "--config.file=" + (folder_ / "alertmanager.yml").string(),
                                 "--storage.path=" + (folder_ / "data").string(),
                                 "--cluster.listen-address=", "--log.level=debug",
                                 "--web.listen-address=127.0.0.1:" + std::to_string(port_)},
        folder_ / "log");
  }

  [[nodiscard]] daemon::AlertSinksOptions options() const {
    return {.journal_socket = folder_ / "none", .alertmanager = {.again = 300ms}};
  }

  /// "firing SparkDrift", for each alert of each notification.
  [[nodiscard]] std::vector<std::string> notified() const {
    std::vector<std::string> all;
    for (const auto& request : receiver_.requests()) {
      const auto body = nlohmann::json::parse(request.body);
      for (const auto& alert : body.at("alerts")) {
        all.push_back(alert.at("status").get<std::string>() + " " +
                      alert.at("labels").at("alertname").get<std::string>());
      }
    }
    return all;
  }

  [[nodiscard]] std::string log_of_alertmanager() const {
    std::ifstream file(folder_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What was said and heard, for the messages of failed expectations.
  [[nodiscard]] std::string story() const {
    return log_ + testing::PrintToString(notified()) + "\n" + log_of_alertmanager();
  }

  /// Ends it once it has noted whom it notified: that is done when it flushes the next time.
  bool end_alertmanager() {
    const bool has_noted = run_until(context_, [this] {
      const auto log = log_of_alertmanager();
      const auto last = log.rfind("Notify success");
      return last != std::string::npos && log.find("msg=flushing", last) != std::string::npos;
    });
    alertmanager_->end();
    return has_noted;
  }

  bool becomes(const std::vector<std::string>& wanted) {
    return run_until(context_, [&] { return notified() == wanted; }, 20s);
  }

  HttpReceiver receiver_{context_};
  HeldPort held_;
  std::uint16_t port_ = held_.number();
  config::AlertsSpec spec_;
  daemon::AlertStore store_;
  std::optional<Server> alertmanager_;
};

TEST_F(AtAlertmanager, LosesAndDoublesNothingWhileEitherIsAway) {
  // What happened ten minutes ago, so that its end is past already.
  const auto begin = later(now(), -10min);
  std::optional<daemon::AlertSinks> sinks(std::in_place, context_, spec_, events(), options());
  auto state = looked_at();
  state.drifts = {drift("a", node_state::Drift::State::kFailed, begin)};
  sinks->deliver(store_.update(state, begin), store_);
  std::vector<std::string> told{"firing SparkResourceFailed"};
  ASSERT_TRUE(becomes(told)) << story();
  const auto alert = nlohmann::json::parse(receiver_.requests()[0].body).at("alerts").at(0);
  EXPECT_EQ(alert.at("fingerprint"),
            daemon::wire_fingerprint(daemon::wire_labels(store_.entries().begin()->second.alert)));

  // Alertmanager is away, and one alert begins.
  ASSERT_TRUE(end_alertmanager()) << story();
  state.drifts.push_back(drift("b", node_state::Drift::State::kDiffers, begin));
  sinks->deliver(store_.update(state, later(begin, 1min)), store_);
  ASSERT_TRUE(run_until(context_, [&] { return sinks->states()[0].failures > 0; }));
  start();
  told.emplace_back("firing SparkDrift");
  ASSERT_TRUE(becomes(told)) << story();

  // The daemon is away.
  const auto file = daemon::alerts_file(store_, *sinks, {}, "boot");
  sinks.emplace(context_, spec_, events(), options());
  auto kept = daemon::read_alerts_file(file, "boot", now());
  ASSERT_TRUE(kept) << kept.error().what;
  auto* book = &kept->store;
  sinks->restore(kept->undelivered, [](const daemon::Alert&) { return false; });
  sinks->deliver({}, *book);
  ASSERT_TRUE(run_until(context_, [&] { return sinks->states()[0].delivered > 2; }));
  sinks->deliver(book->update(state, later(begin, 2min)), *book);

  // Alertmanager is away, and one alert ends.
  ASSERT_TRUE(end_alertmanager()) << story();
  state.drifts.pop_back();
  sinks->deliver(book->update(state, later(begin, 3min)), *book);
  sinks->deliver(book->update(state, later(begin, 5min)), *book);
  ASSERT_TRUE(run_until(context_, [&] { return sinks->states()[0].failures > 0; }));
  start();
  told.emplace_back("resolved SparkDrift");
  ASSERT_TRUE(becomes(told)) << story();

  // And all is well; it is told some more times, and nobody hears of it again.
  state.drifts.clear();
  sinks->deliver(book->update(state, later(begin, 6min)), *book);
  sinks->deliver(book->update(state, later(begin, 8min)), *book);
  told.emplace_back("resolved SparkResourceFailed");
  ASSERT_TRUE(becomes(told)) << story();
  EXPECT_FALSE(run_until(context_, [&] { return notified() != told; }, 1s));
}

TEST_F(AtAlertmanager, IsUnderstoodWithAnyText) {
  daemon::AlertSinks sinks(context_, spec_, events(), options());
  auto state = looked_at();
  state.node = "sp\"ark\\1";
  state.drifts = {drift("k\xff\n\"\xc3\xa9", node_state::Drift::State::kFailed, now())};
  state.drifts[0].why = std::string(100'000, 'x');
  state.file.refused = "cluster.yaml:1:1: error: x\n    1 | x\n      | ^\n";
  sinks.deliver(store_.update(state, now()), store_);
  ASSERT_TRUE(run_until(context_, [&] { return notified().size() == 2; }, 20s)) << story();
}

TEST_F(Alerts, AreExplainedByJournalctl) {
  // A journald of its own, in a mount namespace: its sockets and its journal lie below /run.
  const auto entry = folder_ / "entry";
  auto state = looked_at();
  state.drifts = {drift("enp1s0f0np0", node_state::Drift::State::kContested, now())};
  state.drifts[0].why = "somebody\nelse";
  daemon::AlertStore book;
  std::ofstream(entry, std::ios::binary) << daemon::journal_entry(book.update(state, now()).at(0));
  const auto script = folder_ / "script";
  std::ofstream(script) << R"(set -e
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/journal /run/log/journal /run/catalog
mount --bind /run/catalog /var/lib/systemd/catalog
mkdir -p /run/catalogs && cp "$1" /run/catalogs/ && mount --bind /run/catalogs /usr/lib/systemd/catalog
journalctl --update-catalog
/lib/systemd/systemd-journald >/dev/null 2>&1 & journald=$!
trap 'kill $journald; wait $journald || true' EXIT
for i in $(seq 100); do [ -S /run/systemd/journal/socket ] && break; sleep 0.05; done
python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(open(sys.argv[1], "rb").read(), "/run/systemd/journal/socket")' "$2"
journalctl --sync 2>/dev/null || true
timeout 5 journalctl --follow --lines=all --quiet SPARK_ALERT=SparkContested | grep --quiet --max-count=1 .
journalctl --no-pager -x SPARK_ALERT=SparkContested SPARK_KIND=mtu
journalctl --no-pager -o json SPARK_ALERT=SparkContested
)";
  const auto outcome = run({.argv = {"unshare", "--mount", "sh", script,
                                     SPARK_SOURCE_DIR "/systemd/spark-reconcile.catalog", entry}});
  EXPECT_EQ(outcome.code, 0) << outcome;
  for (const char* line :
       {"SparkContested: mtu enp1s0f0np0 is written by someone else",
        "Subject: mtu enp1s0f0np0 is contested (firing)",
        "mtu enp1s0f0np0 is 1500, the file says 9000", "\"SPARK_ALERT_ID\":\"SR-ALERT-005\"",
        "\"SPARK_DESCRIPTION\":\"mtu enp1s0f0np0 is 1500, the file says "
        "9000\\nsomebody\\nelse\"",
        "\"MESSAGE_ID\":\"0d82a7b566c44b19b912536cedd6700d\""}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome;
  }
}

}  // namespace
}  // namespace spark::test
