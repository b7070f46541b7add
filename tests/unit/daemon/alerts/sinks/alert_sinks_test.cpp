// Hooks, the journal, and all sinks together.

#include "daemon/alerts/sinks/alert_sinks.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "base/unique_fd.hpp"
#include "daemon/alerts/sinks/hook_sink.hpp"
#include "daemon/alerts/sinks/hooks.hpp"
#include "daemon/alerts/sinks/journal_sink.hpp"
#include "fake/http_receiver.hpp"
#include "fake/temporary_folder.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

NodeState failing() {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  return state;
}

class AlertSinksTest : public testing::Test {
 protected:
  SinkEvents events() {
    return {.log = [this](std::string_view line) { lines_.emplace_back(line); },
            .changed = [this] { ++changes_; }};
  }

  std::string script(const std::string& name, const std::string& text, mode_t mode = 0755) const {
    const auto path = folder_ / name;
    std::ofstream(path) << "#!/bin/sh\n" << text;
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }

  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Result<int> ran(const std::string& path, std::chrono::milliseconds deadline = 5s) {
    std::optional<Result<int>> ended;
    run_hook(
        context_, {.path = path, .input = "input", .deadline = deadline},
        [this](std::string_view line) { lines_.emplace_back(line); },
        [&ended](Result<int> result) { ended = std::move(result); });
    EXPECT_TRUE(test::run_until(context_, [&ended] { return ended.has_value(); }));
    return ended.value_or(fail(ErrorCode::kTimeout, "it never ended"));
  }

  test::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
  boost::asio::io_context context_;
  std::vector<std::string> lines_;
  int changes_ = 0;
};

using HookRun = AlertSinksTest;
using HookDirectory = AlertSinksTest;
using HookSinkTest = AlertSinksTest;
using JournalSinkTest = AlertSinksTest;

TEST_F(HookRun, GivesInputAloneAndTakesLinesAndStatus) {
  const auto result =
      ran(script("a", "echo \"args $#\"; cat; echo; env | wc -l >&2; pwd; exit 3\n"));
  EXPECT_EQ(result, 3);
  // PATH, and what the shell sets by itself.
  EXPECT_EQ(lines_[0], "args 0");
  EXPECT_EQ(lines_[1], "input");
  EXPECT_EQ(lines_.back(), "/");
}

TEST_F(HookRun, HasAGroupOfItsOwnThatEndsWithIt) {
  EXPECT_EQ(ran(script("a", "sleep 60 & echo $!; [ \"$(ps -o pgid= $$ | tr -d ' ')\" = $$ ]\n")),
            0);
  const auto left = std::stoi(lines_.at(0));
  // Readable once it has ended; none when it has been reaped, too.
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, left, 0)));
  pollfd entry{.fd = process.get(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(!process.valid() || poll(&entry, 1, 2000) == 1);
}

TEST_F(HookRun, IsKilledAtItsDeadlineWithAllThatItStarted) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = ran(script("a", "trap '' TERM; echo begun; sleep 60 | cat\n"), 300ms);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kTimeout);
  EXPECT_THAT(result.error().what, HasSubstr("not done within 300 ms; it was killed"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
  EXPECT_THAT(lines_, ElementsAre("begun"));
}

TEST_F(HookRun, DoesNotWaitForAProcessThatLeftTheGroup) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(
      ran(script("a", "setsid sleep 40 &\nwhile ! ps -o sid= $! | grep -qw $!; do :; done\n")), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
}

TEST_F(HookRun, BoundsWhatItTakes) {
  EXPECT_EQ(ran(script("a",
                       "i=0; while [ $i -lt 300 ]; do echo $i; i=$((i+1)); done\n"
                       "head -c 100000 /dev/zero\n")),
            0);
  EXPECT_EQ(lines_.size(), 101U);
  EXPECT_EQ(lines_.back(), "(more output is left out)");
}

/// qemu's user mode emulation forks where the C library asks for one memory, in which it would see
/// that the child did not start.
bool posix_spawn_says_what_fails() {
  pid_t child = 0;
  std::array<char*, 1> arguments{nullptr};
  if (posix_spawn(&child, "/nonexistent", nullptr, nullptr, arguments.data(), environ) != 0) {
    return true;
  }
  waitpid(child, nullptr, 0);
  return false;
}

TEST_F(HookRun, SaysWhatCannotBeStarted) {
  if (!posix_spawn_says_what_fails()) {
    GTEST_SKIP() << "posix_spawn(3) does not say what fails here";
  }
  const auto status = ran((folder_ / "none").string());
  ASSERT_FALSE(status) << *status;
  EXPECT_EQ(status.error().code, ErrorCode::kNotFound);
}

TEST_F(HookDirectory, TakesProgramsInOrderAndNothingElse) {
  script("20-b", "");
  script("10-a.sh", "");
  script("30-off", "", 0644);
  script("40~", "");
  script(".hidden", "");
  script("50.dpkg-old", "");
  const auto hooks = hooks_in(folder_.string() + "/", geteuid());
  ASSERT_TRUE(hooks) << hooks.error().what;
  EXPECT_THAT(hooks->paths,
              ElementsAre((folder_ / "10-a.sh").string(), (folder_ / "20-b").string()));
  EXPECT_TRUE(hooks->refused.empty());
}

TEST_F(HookDirectory, RefusesWhatOthersCouldChange) {
  script("a", "", 0775);
  script("b", "", 0757);
  fs::create_symlink("/bin/true", folder_ / "c");
  const auto hooks = hooks_in(folder_, geteuid());
  ASSERT_TRUE(hooks);
  EXPECT_TRUE(hooks->paths.empty());
  EXPECT_EQ(hooks->refused.size(), 3U);
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(hooks_in(folder_, geteuid()).error().code, ErrorCode::kPermission);
}

TEST_F(HookDirectory, RefusesAWayThatOthersCouldChange) {
  fs::create_directories(folder_ / "open/hooks.d");
  ASSERT_EQ(chmod((folder_ / "open").c_str(), 0777), 0);
  const auto hooks = hooks_in(folder_ / "open/hooks.d", geteuid());
  ASSERT_FALSE(hooks);
  EXPECT_THAT(hooks.error().what, HasSubstr("open' must be a directory of root"));
}

TEST_F(HookDirectory, HasNoneWhereThereIsNone) {
  const auto hooks = hooks_in(folder_ / "none", geteuid());
  ASSERT_TRUE(hooks);
  EXPECT_TRUE(hooks->paths.empty());
}

TEST_F(HookSinkTest, RunsEachHookForEachTransition) {
  script("1", "cat >>" + (folder_ / "out").string() + "\n");
  script("2", "echo seen; exit 1\n");
  const auto sink = std::make_shared<HookSink>(context_, folder_, events(), 5s, geteuid());
  AlertStore book;
  for (const auto& told : book.update(failing(), at(10s))) sink->deliver(told);
  book.update(healthy(), at(20s));
  for (const auto& told : book.update(healthy(), at(80s))) sink->deliver(told);
  EXPECT_EQ(sink->undelivered().size(), 2U);
  ASSERT_TRUE(test::run_until(context_, [this] { return changes_ == 2; }))
      << changes_ << testing::PrintToString(lines_);
  const auto out = content("out");
  const auto first = nlohmann::json::parse(out.substr(0, out.find('\n')));
  const auto second = nlohmann::json::parse(out.substr(out.find('\n') + 1));
  EXPECT_EQ(first.at("status"), "firing");
  EXPECT_EQ(second.at("how"), "gone by itself");
  EXPECT_EQ(sink->state().failures, 2U);
  EXPECT_THAT(sink->state().error, HasSubstr("/2' ended with status 1"));
  EXPECT_THAT(lines_, testing::Contains(HasSubstr(": 2: seen")));
  EXPECT_TRUE(sink->undelivered().empty());
}

UniqueFd journal_socket(const fs::path& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

std::string received(const UniqueFd& fd) {
  std::array<char, 65536> buffer{};
  const auto size = recv(fd.get(), buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TEST_F(JournalSinkTest, WritesOneEntryATransition) {
  const auto journal = journal_socket(folder_ / "journal");
  const auto sink = std::make_shared<JournalSink>(context_, folder_ / "journal", events());
  AlertStore book;
  const auto raised = book.update(failing(), at(10s)).at(0);
  sink->deliver(raised);
  EXPECT_EQ(received(journal), journal_entry(raised));
  EXPECT_EQ(received(journal), "");
}

TEST_F(JournalSinkTest, WaitsForAJournalThatIsFullOrAway) {
  const auto raised = AlertStore{}.update(failing(), at(10s)).at(0);
  const auto sink = std::make_shared<JournalSink>(context_, folder_ / "journal", events());
  sink->deliver(raised);
  EXPECT_THAT(sink->state().error, HasSubstr("No such file or directory"));
  const auto journal = journal_socket(folder_ / "journal");
  ASSERT_TRUE(test::run_until(context_, [&sink] { return sink->state().delivered == 1; }));
  // Nobody reads: the kernel holds a few datagrams, and nothing blocks.
  for (std::size_t i = 0; i < 2 * TransitionQueue::kMost; ++i) sink->deliver(raised);
  EXPECT_GT(sink->undelivered().size(), 0U);
  EXPECT_LE(sink->undelivered().size(), TransitionQueue::kMost);
  EXPECT_THAT(sink->state().error, HasSubstr("Resource temporarily unavailable"));
}

TEST_F(AlertSinksTest, TellEverySinkAndKeepWhatWasNotTaken) {
  const auto journal = journal_socket(folder_ / "journal");
  test::HttpReceiver alertmanager(context_);
  test::HttpReceiver webhook(context_);
  config::AlertsSpec spec{.alertmanagers = {{alertmanager.url(""), {}}},
                          .webhooks = {{.url = {webhook.url("/x"), {}}}},
                          .hooks = {folder_ / "none", {}}};
  webhook.answer = "HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n";
  const AlertSinksOptions options{.journal_socket = folder_ / "journal"};
  AlertStore book;
  std::string file;
  {
    AlertSinks sinks(context_, spec, events(), options);
    sinks.deliver(book.update(failing(), now()), book);
    ASSERT_TRUE(test::run_until(context_, [&] {
      return webhook.requests().size() == 1 && alertmanager.requests().size() == 1;
    }));
    ASSERT_TRUE(test::run_until(context_, [&sinks] { return sinks.states().at(2).failures == 1; }));
    EXPECT_NE(received(journal), "");
    EXPECT_EQ(sinks.states().size(), 4U);
    file = alerts_file(book, sinks, {}, "b1");
  }
  webhook.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  AlertSinks sinks(context_, spec, events(), options);
  auto again = read_alerts_file(file, "b1", now());
  ASSERT_TRUE(again) << again.error().what;
  sinks.restore(again->undelivered, [](const Alert&) { return false; });
  sinks.deliver(again->store.update(failing(), now()), again->store);
  ASSERT_TRUE(test::run_until(context_, [&] {
    return webhook.requests().size() == 2 && alertmanager.requests().size() == 2;
  }));
  EXPECT_EQ(received(journal), "") << "told once, also across a restart";
  EXPECT_FALSE(
      test::run_until(context_, [&webhook] { return webhook.requests().size() > 2; }, 100ms));
}

TEST_F(AlertSinksTest, HaveNoJournalWhereThereIsNone) {
  const AlertSinks sinks(context_, {.hooks = {folder_ / "none", {}}}, events(),
                         {.journal_socket = folder_ / "none"});
  EXPECT_EQ(sinks.states().size(), 1U);
}

TEST_F(AlertSinksTest, TellTheDaemonsLogWhereThereIsNoJournal) {
  auto with_alerts = events();
  with_alerts.alert = [this](int priority, std::string_view line) {
    lines_.push_back(std::to_string(priority) + " " + std::string(line));
  };
  config::AlertsSpec spec;
  spec.hooks.value = folder_ / "none";
  AlertSinks sinks(context_, spec, with_alerts, {.journal_socket = folder_ / "none"});
  AlertStore book;
  const auto begun = book.update(failing(), at(10s));
  sinks.deliver(begun, book);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("4 SparkResourceFailed: ")));
}

TEST_F(AlertSinksTest, TakeThePathsOfAgentYamlBelowTheRoot) {
  const config::WebhookSpec webhook{.url = {"http://127.0.0.1:1/", {}},
                                    .authorization_file = {{"/secret", {}}}};
  AlertSinks sinks(context_, {.webhooks = {webhook}, .hooks = {"/hooks.d", {}}}, events(),
                   {.root = folder_, .journal_socket = folder_ / "none"});
  EXPECT_EQ(sinks.states().at(1).name, "hooks " + (folder_ / "hooks.d").string());
  AlertStore book;
  sinks.deliver(book.update(failing(), at(10s)), book);
  ASSERT_TRUE(test::run_until(context_, [&sinks] { return sinks.states().at(0).failures == 1; }));
  EXPECT_THAT(sinks.states().at(0).error, HasSubstr((folder_ / "secret").string()));
}

TEST_F(AlertSinksTest, TakeNoBrokenFile) {
  for (const char* text : {"", "{", "[]", "{}", R"({"schema": 1})"}) {
    EXPECT_EQ(read_alerts_file(text, "b", now()).error().code, ErrorCode::kInvalid) << text;
  }
  const auto odd = R"({"schema": "spark-reconcile/alerts/v1", "boot_id": "b", "entries": [],)"
                   R"( "queues": {"hooks )" +
                   (folder_ / "none").string() + R"(": [7, {}]}})";
  const auto kept = read_alerts_file(odd, "b", now());
  ASSERT_TRUE(kept);
  AlertSinks sinks(context_, {.hooks = {folder_ / "none", {}}}, events(),
                   {.journal_socket = folder_ / "none"});
  sinks.restore(kept->undelivered, [](const Alert&) { return false; });
}

/// A webhook that is away, and an Alertmanager.
class MutedSinksTest : public AlertSinksTest {
 protected:
  MutedSinksTest() { webhook_.answer = "HTTP/1.1 503 x\r\nContent-Length: 0\r\n\r\n"; }

  static bool is_muted(const Alert& /*alert*/) { return true; }
  void raise(AlertSinks& sinks) {
    sinks.deliver(book_.update(failing(), now()), book_);
    ASSERT_TRUE(test::run_until(context_, [&] {
      return sinks.states().at(1).failures == 1 && alertmanager_.requests().size() == 1;
    }));
  }

  test::HttpReceiver alertmanager_{context_};
  test::HttpReceiver webhook_{context_};
  config::AlertsSpec spec_{.alertmanagers = {{alertmanager_.url(""), {}}},
                           .webhooks = {{.url = {webhook_.url("/x"), {}}}},
                           .hooks = {folder_ / "none", {}}};
  AlertSinksOptions options_{.journal_socket = folder_ / "none", .alertmanager = {.again = 50ms}};
  AlertStore book_;
};

TEST_F(MutedSinksTest, ForgetWhatWaitsAndWhatFires) {
  AlertSinks sinks(context_, spec_, events(), options_);
  raise(sinks);
  std::vector<Transition> none;
  book_.withhold(none, is_muted, now());
  sinks.withhold(is_muted);
  sinks.deliver(none, book_);
  webhook_.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  const auto told = alertmanager_.requests().size();
  EXPECT_FALSE(test::run_until(
      context_,
      [&] { return webhook_.requests().size() > 1 || alertmanager_.requests().size() > told + 1; },
      1500ms));
  EXPECT_EQ(sinks.undelivered().dump(), "{}");
}

TEST_F(MutedSinksTest, TellNothingOfBeforeTheStart) {
  std::string file;
  {
    AlertSinks sinks(context_, spec_, events(), options_);
    raise(sinks);
    file = alerts_file(book_, sinks, {}, "b1");
  }
  webhook_.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  AlertSinks sinks(context_, spec_, events(), options_);
  auto kept = read_alerts_file(file, "b1", now());
  ASSERT_TRUE(kept);
  EXPECT_NE(kept->undelivered.dump().find("SparkResourceFailed"), std::string::npos);
  const auto told = alertmanager_.requests().size();
  kept->store.mute(is_muted);
  sinks.restore(kept->undelivered, is_muted);
  sinks.deliver({}, kept->store);
  EXPECT_FALSE(test::run_until(
      context_,
      [&] { return webhook_.requests().size() > 1 || alertmanager_.requests().size() > told; },
      500ms));
}

}  // namespace
}  // namespace spark::daemon
