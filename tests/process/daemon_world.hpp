#pragma once
// Daemon: the daemon on a machine of one link, and what systemd hears of it.

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/ip.hpp"
#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"
#include "process/spark.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "protocol/web.hpp"

namespace spark::test {

/// What systemd hears of a service (sd_notify(3)).
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : path_(path), socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval longest{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  /// The next message; empty: none came for ten seconds.
  [[nodiscard]] std::string next() const {
    std::array<char, 1024> text{};
    const auto got = recv(socket_.get(), text.data(), text.size(), 0);
    return got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "";
  }

  /// Hears until one says so, or nothing comes.
  [[nodiscard]] bool hears(const std::string& text) const {
    for (auto message = next(); !message.empty(); message = next()) {
      if (message.find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

 private:
  std::string path_;
  UniqueFd socket_;
};

/// spark-web is beside the program.
inline std::string web_program() {
  return std::filesystem::path(std::getenv("SPARK_RECONCILE")).replace_filename("spark-web");
}

class Daemon : public ::testing::Test {
 protected:
  Daemon() {
    spark_.add_link("enp1s0f0np0");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000, addresses: [192.0.2.1/24] }");
  }

  void start(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), "daemon");
    auto command = spark_.command(arguments);
    command.environment = {"NOTIFY_SOCKET=" + notify_.path(), "WATCHDOG_USEC=3000000"};
    daemon_ = std::make_unique<Running>(command);
    EXPECT_TRUE(notify_.hears("READY=1"));
  }

  /// Starts spark-web beside the daemon, as systemd does: without any right but to write into its
  /// own folder. Returns once it has said whether it listens.
  void serve() {
    spark_.write("/run/spark-reconcile-web/.keep", "");
    constexpr uid_t kNobody = 65534;
    ASSERT_EQ(chown(spark_.host_path("/run/spark-reconcile-web").c_str(), kNobody, kNobody), 0);
    if (const auto passwd = spark_.read("/etc/passwd"); !passwd.contains("spark-web:")) {
      spark_.write("/etc/passwd", passwd + "spark-web:x:65534:65534::/nonexistent:/bin/false\n");
    }
    Command command{.argv = {web_program(), "serve"},
                    .environment = {"ASAN_OPTIONS=quarantine_size_mb=1"},
                    .network = spark_.network(),
                    .as_nobody = true};
    for (const auto* path : {protocol::kNodeStateFile, protocol::kDaemonLockFile,
                             protocol::kWebReportFile, protocol::kPeersReportFile}) {
      command.argv.push_back(spark_.host_path(path).string());
    }
    web_ = std::make_unique<Running>(command);
    EXPECT_TRUE(spark::test::wait_until([&] { return !web_report().is_discarded(); },
                                        std::chrono::seconds(30)))
        << web_->output();
  }
  [[nodiscard]] nlohmann::json web_report() const {
    return nlohmann::json::parse(spark_.read(protocol::kWebReportFile), nullptr, false);
  }

  /// The answer to a GET on the machine itself; empty: nobody answers there.
  [[nodiscard]] std::string get(const std::string& path, std::uint16_t port = 9842) const {
    std::string answer;
    in_network(spark_.network(), [&] {
      const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const SocketAddress server(*IpAddress::parse("127.0.0.1"), port);
      const timeval longest{.tv_sec = 30, .tv_usec = 0};
      setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
      if (connect(fd.get(), server.get(), server.size()) != 0) return;
      const auto request =
          "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      ASSERT_EQ(send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(request.size()));
      std::array<char, 4096> chunk{};
      for (ssize_t got = 0; (got = recv(fd.get(), chunk.data(), chunk.size(), 0)) > 0;) {
        answer.append(chunk.data(), static_cast<std::size_t>(got));
      }
    });
    return answer;
  }

  /// Until the condition holds, for at most half a minute: it is looked at again whenever the
  /// daemon says something, which is after each pass and for the watchdog.
  void wait_until(const std::function<bool()>& holds) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << status().dump(2);
      ASSERT_THAT(notify_.next(), ::testing::Not(::testing::IsEmpty())) << status().dump(2);
    }
  }

  [[nodiscard]] bool has_mtu(int bytes) const { return spark_.link("enp1s0f0np0")["mtu"] == bytes; }
  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(spark_.read("/run/spark-reconcile/status.json"), nullptr, false);
  }

  Spark spark_;
  NotifySocket notify_{spark_.host_path("/notify").string()};
  std::unique_ptr<Running> daemon_;
  std::unique_ptr<Running> web_;
};

}  // namespace spark::test
