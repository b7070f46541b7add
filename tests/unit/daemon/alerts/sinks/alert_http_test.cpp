// The sinks that speak HTTP, on real sockets.

#include <filesystem>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "daemon/alerts/sinks/alertmanager_sink.hpp"
#include "daemon/alerts/sinks/webhook_sink.hpp"
#include "fake/http_receiver.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRefusal =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 6\r\n\r\nbusy\n\n";

class AlertHttp : public testing::Test {
 protected:
  SinkEvents events() {
    return {.log = [this](std::string_view line) { log_ += std::string(line) + "\n"; },
            .changed = [this] { ++changes_; }};
  }

  Result<HttpAnswer> answer_of(const std::string& url, std::chrono::milliseconds deadline = 2s) {
    std::optional<Result<HttpAnswer>> answer;
    post_http(context_, {.url = *HttpUrl::parse(url), .content_type = "text/plain", .body = "x"},
              deadline, [&answer](Result<HttpAnswer> result) { answer = std::move(result); });
    EXPECT_TRUE(test::run_until(context_, [&answer] { return answer.has_value(); }));
    return answer.value_or(fail(ErrorCode::kTimeout, "none"));
  }

  [[nodiscard]] nlohmann::json body(std::size_t i) const {
    return nlohmann::json::parse(receiver_.requests().at(i).body);
  }

  boost::asio::io_context context_;
  test::HttpReceiver receiver_{context_};
  AlertStore store_;
  std::string log_;
  int changes_ = 0;
};

TEST_F(AlertHttp, PostsAndTakesTheAnswer) {
  receiver_.answer = kRefusal;
  const auto answer = answer_of(receiver_.url("/a?b"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 503U);
  EXPECT_EQ(answer->first_line, "busy");
  EXPECT_TRUE(receiver_.requests()[0].head.starts_with("POST /a?b HTTP/1.1\r\n"));
}

TEST_F(AlertHttp, ResolvesNames) {
  const auto answer = answer_of("http://localhost:" + std::to_string(receiver_.port()) + "/");
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->status, 200U);
}

TEST_F(AlertHttp, SaysWhoRefusesAConnection) {
  const test::HeldPort held;
  const auto port = held.number();
  const auto answer = answer_of("http://127.0.0.1:" + std::to_string(port) + "/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what,
            "connect to 127.0.0.1:" + std::to_string(port) + ": Connection refused");
}

TEST_F(AlertHttp, EndsAtTheDeadlineWithAServerThatNeverAnswers) {
  receiver_.answer.clear();
  const auto answer = answer_of(receiver_.url("/"), 50ms);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kTimeout);
}

TEST_F(AlertHttp, TakesWhatIsNoHttpForAnError) {
  receiver_.answer = "SSH-2.0-x\r\n\r\n";
  EXPECT_FALSE(answer_of(receiver_.url("/")));
}

TEST_F(AlertHttp, TellsAlertmanagerWhatFiresAgainAndAgain) {
  const auto sink = std::make_shared<AlertmanagerSink>(context_, receiver_.url("/prefix/"),
                                                       events(), AlertmanagerTimes{.again = 20ms});
  store_.update(failing(), now());
  sink->update(store_);
  ASSERT_TRUE(test::run_until(context_, [this] { return receiver_.requests().size() == 3; }));
  EXPECT_TRUE(receiver_.requests()[0].head.starts_with("POST /prefix/api/v2/alerts HTTP/1.1\r\n"));
  const auto item = body(0).at(0);
  EXPECT_EQ(item.at("labels").at("alertname"), "SparkResourceFailed");
  EXPECT_EQ(item.at("startsAt"), "2026-01-01T12:00:05Z");
  EXPECT_GT(item.at("endsAt").get<std::string>(), utc_text(now().wall + 4min));
}

TEST_F(AlertHttp, TellsAlertmanagerAnEndUntilItIsTaken) {
  const auto sink = std::make_shared<AlertmanagerSink>(context_, receiver_.url("/"), events(),
                                                       AlertmanagerTimes{.again = 20ms});
  store_.update(failing(), at(10s));
  store_.update(healthy(), at(20s));
  store_.update(healthy(), at(80s));
  receiver_.answer = kRefusal;
  sink->update(store_);
  ASSERT_TRUE(test::run_until(context_, [this] { return changes_ == 1; }));
  EXPECT_EQ(sink->state().error, "status 503: busy");
  receiver_.answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  sink->update(store_);
  ASSERT_TRUE(test::run_until(context_, [this] { return changes_ == 2; }));
  EXPECT_EQ(body(1).at(0).at("endsAt"), "2026-01-01T12:01:20Z");
  sink->update(store_);
  EXPECT_FALSE(
      test::run_until(context_, [this] { return receiver_.requests().size() > 2; }, 100ms));
  EXPECT_EQ(sink->state().delivered, 1U);
}

TEST_F(AlertHttp, TellsAnAlertmanagerThatWasAway) {
  const test::HeldPort held;
  const auto port = held.number();
  const auto sink = std::make_shared<AlertmanagerSink>(
      context_, "http://127.0.0.1:" + std::to_string(port), events());
  store_.update(failing(), now());
  sink->update(store_);
  ASSERT_TRUE(test::run_until(context_, [this] { return changes_ == 1; }));
  const test::HttpReceiver late(context_, port);
  ASSERT_TRUE(test::run_until(context_, [&late] { return late.requests().size() == 1; }));
  ASSERT_TRUE(test::run_until(context_, [&sink] { return sink->state().delivered == 1; }));
  EXPECT_NE(log_.find("works again, failures before: 1"), std::string::npos) << log_;
}

TEST_F(AlertHttp, PostsOneWebhookBodyATransition) {
  const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/hook"), "", events());
  for (const auto& told : store_.update(failing(), at(10s))) sink->deliver(told);
  store_.update(healthy(), at(20s));
  for (const auto& told : store_.update(healthy(), at(80s))) sink->deliver(told);
  ASSERT_TRUE(test::run_until(context_, [this] { return changes_ == 2; }));
  EXPECT_EQ(body(0).at("version"), "4");
  EXPECT_EQ(body(0).at("status"), "firing");
  EXPECT_EQ(body(0).at("alerts").at(0).at("endsAt"), "0001-01-01T00:00:00Z");
  EXPECT_EQ(body(1).at("status"), "resolved");
  EXPECT_EQ(body(1).at("commonAnnotations").at("how"), "gone by itself");
  EXPECT_EQ(body(1).at("groupKey"), body(0).at("groupKey"));
  EXPECT_TRUE(sink->undelivered().empty());
}

TEST_F(AlertHttp, KeepsWhatAWebhookDidNotTakeAlsoAcrossARestart) {
  receiver_.answer = kRefusal;
  nlohmann::json kept;
  {
    const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/"), "", events());
    sink->deliver(store_.update(failing(), at(10s)).at(0));
    ASSERT_TRUE(test::run_until(context_, [this] { return changes_ == 1; }));
    kept = sink->undelivered();
  }
  receiver_.answer = "HTTP/1.1 204 No Content\r\n\r\n";
  const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/"), "", events());
  sink->restore(kept);
  ASSERT_TRUE(test::run_until(context_, [&sink] { return sink->state().delivered == 1; }));
  EXPECT_EQ(receiver_.requests().size(), 2U);
  EXPECT_EQ(body(0), body(1));
}

TEST_F(AlertHttp, DropsWhatAWebhookWillNeverTake) {
  receiver_.answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
  const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/"), "", events());
  sink->deliver(store_.update(failing(), at(10s)).at(0));
  ASSERT_TRUE(test::run_until(context_, [&sink] { return sink->state().dropped == 1; }));
  EXPECT_TRUE(sink->undelivered().empty());
  EXPECT_EQ(sink->state().error, "status 400: ");
}

TEST_F(AlertHttp, BoundsTheQueueOfADeadWebhook) {
  receiver_.answer.clear();
  const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/"), "", events());
  const auto raised = store_.update(failing(), at(10s)).at(0);
  for (std::size_t i = 0; i < TransitionQueue::kMost + 3; ++i) sink->deliver(raised);
  EXPECT_EQ(sink->undelivered().size(), TransitionQueue::kMost);
  EXPECT_EQ(sink->state().dropped, 3U);
}

TEST_F(AlertHttp, SendsTheSecretOfAFileThatIsRootsAlone) {
  const auto path =
      (std::filesystem::temp_directory_path() / ("spark-authorization-" + std::to_string(getpid())))
          .string();
  std::ofstream(path) << "Bearer abc\n";
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/"), path, events());
  sink->deliver(store_.update(failing(), at(10s)).at(0));
  ASSERT_TRUE(test::run_until(context_, [&sink] { return sink->state().delivered == 1; }));
  EXPECT_NE(receiver_.requests()[0].head.find("Authorization: Bearer abc\r\n"), std::string::npos);
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(read_authorization(path).error().code, ErrorCode::kPermission);
  std::filesystem::remove(path);
  EXPECT_EQ(read_authorization(path).error().code, ErrorCode::kNotFound);
}

TEST_F(AlertHttp, DoesNotTellASinkOfItsOwnFailure) {
  const auto sink = std::make_shared<WebhookSink>(context_, receiver_.url("/"), "", events());
  auto state = healthy();
  state.sinks.push_back({.name = sink->state().name, .failures = 9});
  for (const auto& told : store_.update(state, at(10s))) sink->deliver(told);
  EXPECT_TRUE(sink->undelivered().empty());
}

}  // namespace
}  // namespace spark::daemon
