// The verb `mute`, beside a daemon whose alerts go to a webhook and to a hook.

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <boost/asio/io_context.hpp>

#include "daemon/alerts/alert_rules.hpp"
#include "fake/http_receiver.hpp"
#include "process/daemon_world.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kRefused = "SparkConfigRefused";

class Mute : public Daemon {
 protected:
  Mute() {
    // A hook takes each alert as any of ntfy, Slack or exec would: it keeps the line.
    spark_.write("/etc/spark-reconcile/hooks.d/50-keep",
                 "#!/bin/sh\ncat >>" + spark_.host_path("/told").string() + "\n");
    EXPECT_EQ(chmod(spark_.host_path("/etc/spark-reconcile/hooks.d/50-keep").c_str(), 0755), 0);
    in_network(spark_.network(), [this] { webhook_ = std::make_unique<HttpReceiver>(context_); });
    spark_.write("/etc/spark-reconcile/agent.yaml",
                 "alerts:\n  webhook: [{ url: \"" + webhook_->url("/") + "\" }]\n");
    file(true);
  }

  void file(bool is_good) const {
    spark_.file_with_links(is_good ? "enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }"
                                   : "enp1s0f0np0: { mtu: nonsense }");
  }
  void stop() {
    daemon_->signal(SIGTERM);
    EXPECT_THAT(daemon_->wait(), ExitsWith(0));
  }
  Outcome mute(std::vector<std::string> words) const {
    words.insert(words.begin(), "mute");
    return spark_.reconcile(words);
  }
  Outcome mute_for(const std::string& time) const {
    return mute({kRefused, "--for", time, "--why", "a new file is coming"});
  }
  [[nodiscard]] nlohmann::json muted() const {
    return status().value("muted", nlohmann::json::array());
  }
  /// "firing SparkConfigRefused", of those that came to the webhook.
  [[nodiscard]] std::vector<std::string> posted() const {
    context_.poll();
    std::vector<std::string> all;
    for (const auto& request : webhook_->requests()) {
      const auto body = nlohmann::json::parse(request.body);
      all.push_back(body.at("status").get<std::string>() + " " +
                    body.at("groupLabels").at("alertname").get<std::string>());
    }
    return all;
  }
  /// Of kRefused alone.
  [[nodiscard]] std::vector<std::string> told() const {
    auto all = posted();
    std::erase_if(all, [](const std::string& one) { return !one.ends_with(kRefused); });
    return all;
  }
  [[nodiscard]] std::string hooked() const { return spark_.read("/told"); }
  [[nodiscard]] std::string events() const { return spark_.reconcile({"events"}).out; }
  void until_raised() const {
    wait_until([&] { return !muted().empty() && muted()[0]["raised"] == 1; });
  }

  mutable boost::asio::io_context context_;
  std::unique_ptr<HttpReceiver> webhook_;
};

TEST_F(Mute, TellsNobodyAndShowsItEverywhere) {
  start();
  ASSERT_THAT(mute_for("2h"), ExitsWith(0));
  wait_until([&] { return muted().size() == 1; });
  EXPECT_THAT(spark_.reconcile({"status", "--brief"}).out,
              HasSubstr("; muted here: SparkConfigRefused\n"));
  EXPECT_THAT(spark_.reconcile({"doctor"}).out,
              AllOf(HasSubstr("! muted"), HasSubstr("SparkConfigRefused (SR-ALERT-006)"),
                    HasSubstr("a new file is coming")));
  file(false);
  until_raised();
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_THAT(hooked(), Not(HasSubstr(kRefused)));
  const auto shown = muted()[0];
  EXPECT_EQ(shown["id"], "SR-ALERT-006");
  EXPECT_EQ(shown["reason"], "a new file is coming");
  EXPECT_EQ(shown["subjects"], 0);
  const auto list = mute({});
  EXPECT_THAT(list, ExitsWith(0));
  EXPECT_THAT(list.out, AllOf(HasSubstr("SparkConfigRefused (SR-ALERT-006): 1 h 5"),
                              HasSubstr("1 raised"), HasSubstr("a new file is coming")));
  EXPECT_THAT(spark_.reconcile({"status"}).out, HasSubstr("muted until "));
  const auto metrics = spark_.read("/run/spark-reconcile/metrics.prom");
  EXPECT_THAT(metrics,
              AllOf(HasSubstr("spark_reconcile_mutes 1\n"),
                    HasSubstr("spark_reconcile_alerts_muted{alert=\"SparkConfigRefused\"} 1\n")));
  // The daemon writes its events after its status.
  const std::string told_nobody = "told to nobody, since it is muted: SparkConfigRefused";
  EXPECT_TRUE(test::wait_until([&] { return events().find(told_nobody) != std::string::npos; },
                               std::chrono::seconds(10)))
      << events();
  EXPECT_THAT(events(), HasSubstr("SparkConfigRefused (SR-ALERT-006) is muted until "));
  serve();
  EXPECT_THAT(get("/"), AllOf(HasSubstr("<h2>Muted</h2>"), HasSubstr("a new file is coming")));
}

TEST_F(Mute, EndsByHandAndThenTellsWhatIsStillRaised) {
  start();
  ASSERT_THAT(mute_for("2h"), ExitsWith(0));
  wait_until([&] { return muted().size() == 1; });
  file(false);
  until_raised();
  ASSERT_THAT(told(), IsEmpty());
  const auto ended = mute({"--end", "sr-alert-006"});
  EXPECT_THAT(ended, ExitsWith(0));
  EXPECT_THAT(ended.out, HasSubstr("is no longer muted"));
  wait_until([&] { return !told().empty(); });
  EXPECT_THAT(told(), ElementsAre("firing SparkConfigRefused"));
  wait_until([&] { return hooked().find(kRefused) != std::string::npos; });
  wait_until([&] { return muted().empty(); });
  EXPECT_EQ(mute({}).out, "nothing is muted\n");
  wait_until(
      [&] { return events().find("is no longer muted: ended by hand") != std::string::npos; });
  EXPECT_THAT(mute({"--end", kRefused}).out, HasSubstr("was not muted"));
}

TEST_F(Mute, EndsByItselfInTime) {
  start();
  ASSERT_THAT(mute_for("8s"), ExitsWith(0));
  file(false);
  until_raised();
  EXPECT_THAT(told(), IsEmpty());
  wait_until([&] { return !told().empty(); });
  EXPECT_THAT(told(), ElementsAre("firing SparkConfigRefused"));
  wait_until([&] { return muted().empty(); });
  wait_until(
      [&] { return events().find("is no longer muted: its time is over") != std::string::npos; });
}

TEST_F(Mute, OutlivesTheDaemonAndIsReadBeforeAnybodyIsTold) {
  // Away, so that what was raised before the start waits in the queue of the webhook.
  webhook_->answer = "HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n";
  start();
  file(false);
  wait_until([&] { return !told().empty(); });
  wait_until([&] {
    return spark_.read("/var/lib/spark-reconcile/alerts.json").find(kRefused) != std::string::npos;
  });
  const auto before = hooked();
  EXPECT_THAT(before, HasSubstr(kRefused));
  // Killed before it has read the mute.
  daemon_->signal(SIGSTOP);
  ASSERT_THAT(mute_for("2h"), ExitsWith(0));
  daemon_->signal(SIGKILL);
  static_cast<void>(daemon_->wait());
  const auto tries = told().size();
  webhook_->answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  start();
  until_raised();
  EXPECT_EQ(muted()[0]["subjects"], 1);
  stop();
  start();
  until_raised();
  EXPECT_EQ(told().size(), tries) << "neither by the queue nor by the start";
  EXPECT_EQ(hooked(), before);
}

TEST_F(Mute, OfAFileThatIsDamagedTheDaemonMutesNothingAndSaysSo) {
  start();
  ASSERT_THAT(mute_for("2h"), ExitsWith(0));
  wait_until([&] { return muted().size() == 1; });
  file(false);
  until_raised();
  spark_.write("/var/lib/spark-reconcile/mutes.json", "{");
  wait_until([&] { return !told().empty(); });
  // The receiver may hear of it before the events are written.
  constexpr const char* kSaid = "is damaged or of another version, and mutes nothing";
  wait_until([&] { return events().find(kSaid) != std::string::npos; });
  EXPECT_THAT(events(), HasSubstr(kSaid));
}

TEST_F(Mute, IsRefusedWithWhatToDo) {
  const auto without_daemon = mute_for("2h");
  EXPECT_THAT(without_daemon, ExitsWith(1));
  EXPECT_THAT(without_daemon.err, AllOf(HasSubstr("no daemon runs here"),
                                        HasSubstr("systemctl enable --now spark-reconcile")));
  EXPECT_THAT(mute({}), ExitsWith(1));
  start();
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"SparkConfigRefuse", "--for", "1h", "--why", "x"}, "did you mean 'SparkConfigRefused'?"},
      {{"SR-ALERT-06", "--for", "1h", "--why", "x"}, "did you mean 'SR-ALERT-0"},
      {{"SparkDaemonStale", "--for", "1h", "--why", "x"}, "silence it at the Alertmanager"},
      {{"SR-ALERT-023", "--for", "1h", "--why", "x"},
       "SparkNodeSilent is not the daemon's to tell"},
      {{kRefused, "spark3", "--for", "1h", "--why", "x"}, "unknown node 'spark3'"},
      {{kRefused, "--why", "x"}, "mute needs --for"},
      {{kRefused, "--for", "169h", "--why", "x"}, "168h at most"},
      {{kRefused, "--for", "1h"}, "mute needs --why"},
      {{kRefused, "--for", "1h", "--why", "  "}, "mute needs --why"},
      {{kRefused, "--for", "1h", "--why", std::string(201, 'x')}, "more than 200 characters"},
      {{kRefused, "--end", "--for", "1h"}, "leave out --for"},
      {{"--end"}, "mute needs the alert"}};
  for (const auto& [words, says] : wrong) {
    const auto outcome = mute(words);
    EXPECT_THAT(outcome, ExitsWith(64)) << says;
    EXPECT_THAT(outcome.err, HasSubstr(says));
  }
  EXPECT_EQ(spark_.read("/var/lib/spark-reconcile/mutes.json"), "");
  ASSERT_THAT(mute({kRefused, "spark1", "--for", "1h", "--why", "x"}), ExitsWith(0));
  wait_until([&] { return muted().size() == 1 && muted()[0]["node"] == "spark1"; });
}

TEST_F(Mute, TakesEachAlertOfTheDaemon) {
  start();
  for (const auto& rule : daemon::alert_rules()) {
    EXPECT_THAT(mute({std::string(rule.id), "--for", "1h", "--why", "x"}), ExitsWith(0))
        << rule.name;
  }
  wait_until([&] { return muted().size() == daemon::alert_rules().size(); });
}

TEST_F(Mute, IsRootsAloneAndItsListIsForAll) {
  start();
  auto command = spark_.command({"mute", kRefused, "--for", "1h", "--why", "x"});
  command.as_nobody = true;
  const auto refused = run(command);
  EXPECT_THAT(refused, ExitsWith(1));
  EXPECT_THAT(refused.err, HasSubstr("mute needs root: `sudo spark-reconcile "));
  auto list = spark_.command({"mute"});
  list.as_nobody = true;
  EXPECT_EQ(run(list).out, "nothing is muted\n");
}

}  // namespace
}  // namespace spark::test
