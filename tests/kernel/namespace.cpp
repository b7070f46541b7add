#include "kernel/namespace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spark::test {
namespace {

enum Which : std::size_t { kOuter, kNode, kPeer };

void check(bool holds, const std::string& what) {
  if (!holds) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

/// Runs `ip` without a shell, in the namespace that the calling thread is in.
std::string run_ip(const std::string& words) {
  std::vector<std::string> arguments{"ip"};
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    arguments.push_back(word);
  }
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (auto& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);

  std::array<int, 2> pipe_ends{};
  check(pipe2(pipe_ends.data(), O_CLOEXEC) == 0, "pipe2");
  const UniqueFd output(pipe_ends[0]);
  UniqueFd input(pipe_ends[1]);
  const pid_t child = fork();
  check(child >= 0, "fork");
  if (child == 0) {
    dup2(input.get(), STDOUT_FILENO);
    dup2(input.get(), STDERR_FILENO);
    execvp("ip", argv.data());
    _exit(127);
  }
  input.reset();
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t size = 0; (size = read(output.get(), chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child, "waitpid");
  EXPECT_EQ(status, 0) << "ip " << words << ": " << text;
  return text;
}

}  // namespace

Namespace Namespace::current() {
  UniqueFd descriptor(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  check(descriptor.valid(), "open the network namespace");
  return Namespace(std::move(descriptor));
}

Namespace Namespace::enter_new() {
  check(unshare(CLONE_NEWNET) == 0, "unshare");
  return current();
}

void Namespace::enter() const { check(setns(descriptor_.get(), CLONE_NEWNET) == 0, "setns"); }

std::string Namespace::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_.get());
}

void NamespaceTest::SetUp() {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root can make a network namespace";
  }
  namespaces_.push_back(Namespace::current());
  namespaces_.push_back(Namespace::enter_new());
  namespaces_.push_back(Namespace::enter_new());
  namespaces_[kNode].enter();
}

void NamespaceTest::TearDown() {
  if (!namespaces_.empty()) {
    namespaces_[kOuter].enter();
  }
}

std::string NamespaceTest::ip(const std::string& words) const { return run_ip(words); }

std::string NamespaceTest::ip_at_peer(const std::string& words) const {
  namespaces_[kPeer].enter();
  auto text = run_ip(words);
  namespaces_[kNode].enter();
  return text;
}

nlohmann::json NamespaceTest::ip_json(const std::string& words) const {
  return nlohmann::json::parse(ip("-json " + words));
}

void NamespaceTest::wait_until_usable() const {
  for (const auto which : {kPeer, kNode}) {
    namespaces_[which].enter();
    host::LinuxNetlink netlink;
    ASSERT_TRUE(netlink.watch());
    const auto tentative = [&] {
      return std::ranges::any_of(netlink.addresses().value(), [](const host::AddressInfo& address) {
        return (address.flags & IFA_F_TENTATIVE) != 0 && address.scope == RT_SCOPE_UNIVERSE;
      });
    };
    while (tentative()) {
      ASSERT_TRUE(netlink.wait_for_event(std::chrono::seconds(10)).value_or(false));
    }
  }
}

void NamespaceTest::add_cable(const std::string& name) const {
  ip(fmt::format("link add {0} type veth peer name {0} netns {1}", name,
                 namespaces_[kPeer].path()));
  ip_at_peer(fmt::format("link set {} up", name));
}

void NamespaceTest::add_rails() const {
  for (const auto* name : {"enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"}) {
    add_cable(name);
  }
}

host::LinkInfo NamespaceTest::link(const std::string& name) {
  const auto links = netlink_.links();
  EXPECT_TRUE(links) << links.error().what;
  for (const auto& link : *links) {
    if (link.name == name) return link;
  }
  ADD_FAILURE() << "no link " << name;
  return {};
}

std::vector<host::AddressInfo> NamespaceTest::addresses_of(const std::string& name) {
  auto addresses = netlink_.addresses();
  EXPECT_TRUE(addresses) << addresses.error().what;
  std::erase_if(*addresses, [index = link(name).index](const host::AddressInfo& address) {
    return address.link_index != index;
  });
  return *addresses;
}

}  // namespace spark::test
