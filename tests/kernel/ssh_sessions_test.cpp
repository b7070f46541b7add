#include <algorithm>
#include <array>
#include <csignal>
#include <map>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "fake/fake_host.hpp"
#include "host/linux/linux_system.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A process by that name that holds this process's descriptors until it goes.
class Impostor {
 public:
  explicit Impostor(const char* name) {
    std::array<int, 2> ready{};
    EXPECT_EQ(pipe(ready.data()), 0);
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_NAME, name);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      static_cast<void>(!write(ready[1], "r", 1));
      pause();
      _exit(0);
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_ = -1;
};

/// Both ends of a connection over loopback are the address that was called.
host::SshSession to_itself(const char* ip) {
  return {.local = *IpAddress::parse(ip), .peer = *IpAddress::parse(ip)};
}

class SshSessions : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (!IsSkipped()) {
      ip("link set lo up");
      ip("address add 192.0.2.11/32 dev lo");
      ip("-6 address add 2001:db8::11/128 dev lo");
      wait_until_usable();
    }
  }

  /// Listens on all addresses of both families, as sshd does.
  void listen_on(std::uint16_t port) {
    UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in6 any = address("::", port);
    ASSERT_EQ(bind(socket.get(), as_sockaddr(any), sizeof(any)), 0);
    ASSERT_EQ(listen(socket.get(), 8), 0);
    listening_[port] = std::move(socket);
  }
  /// Connects to it; an IPv4 address is given as "::ffff:192.0.2.11". The connection is established
  /// at the caller's end before it is at the server's: only accept() has waited for both.
  void connect_to(const char* ip, std::uint16_t port) {
    UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in6 server = address(ip, port);
    ASSERT_EQ(connect(socket.get(), as_sockaddr(server), sizeof(server)), 0);
    UniqueFd accepted(accept4(listening_.at(port).get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_TRUE(accepted.valid());
    open_.push_back(std::move(socket));
    open_.push_back(std::move(accepted));
  }
  std::vector<host::SshSession> sessions() {
    FakeHost world;
    return *host::LinuxSystem(world.files(), "").ssh_sessions();
  }

 private:
  static sockaddr_in6 address(const char* ip, std::uint16_t port) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    EXPECT_EQ(inet_pton(AF_INET6, ip, &address.sin6_addr), 1);
    return address;
  }
  static const sockaddr* as_sockaddr(const sockaddr_in6& address) {
    return reinterpret_cast<const sockaddr*>(&address);
  }

  std::map<std::uint16_t, UniqueFd> listening_;
  std::vector<UniqueFd> open_;
};

TEST_F(SshSessions, AreNoneWhereNobodyIsConnected) {
  listen_on(22);
  EXPECT_THAT(sessions(), IsEmpty());
}

TEST_F(SshSessions, AreThoseOnPort22WhereNoSshdIsSeen) {
  listen_on(22);
  listen_on(8022);
  connect_to("::ffff:192.0.2.11", 22);
  connect_to("2001:db8::11", 8022);
  EXPECT_THAT(sessions(), ElementsAre(to_itself("192.0.2.11")));
}

TEST_F(SshSessions, AreThoseOnThePortThatSshdListensOn) {
  listen_on(8022);
  const Impostor sshd("sshd");
  listen_on(22);
  connect_to("2001:db8::11", 8022);
  connect_to("::ffff:192.0.2.11", 22);
  EXPECT_THAT(sessions(), ElementsAre(to_itself("2001:db8::11")));
}

TEST_F(SshSessions, OfOtherServersAreNone) {
  listen_on(8022);
  const Impostor other("httpd");
  connect_to("2001:db8::11", 8022);
  EXPECT_THAT(sessions(), IsEmpty());
}

}  // namespace
}  // namespace spark::test
