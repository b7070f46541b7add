#include "bench/machine.hpp"

#include <fstream>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>

#include "base/unique_fd.hpp"
#include "protocol/paths.hpp"

namespace spark::bench {
namespace {

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) {
    give_up(fmt::format("cannot write {}", path.string()));
  }
}

}  // namespace

Machine::Machine(std::filesystem::path program, std::filesystem::path files)
    : program_(std::move(program)), inputs_(std::move(files)), root_(inputs_ / "root") {
  std::filesystem::create_directory(root_);
  // Duplicate detection of link-local addresses would end a second later, in another run.
  write_text("/proc/sys/net/ipv6/conf/default/addr_gen_mode", "1\n");
  run(ip({"netns", "add", kFar}));
  run(ip({"link", "set", "lo", "up"}));
  renew({"enP7s7"});
  run(ip({"link", "set", "enP7s7", "up"}));
  run(ip({"address", "add", "192.0.2.11/24", "dev", "enP7s7"}));
  run(ip({"route", "add", "default", "via", "192.0.2.1"}));
}

void Machine::renew(const std::vector<std::string>& links) const {
  std::string here;
  std::string there;
  for (const auto& link : links) {
    if (if_nametoindex(link.c_str()) != 0) {
      here += fmt::format("link del {}\n", link);
    }
    here += fmt::format("link add {0} type veth peer name {0} netns {1}\n", link, kFar);
    there += fmt::format("link set {} up\n", link);
  }
  run(ip({"-batch", write("here", here)}));
  run(ip({"-netns", kFar, "-batch", write("there", there)}));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
    if (entry.is_regular_file()) {
      std::filesystem::remove(entry.path());
    }
  }
}

std::string Machine::write(const std::string& name, const std::string& text) const {
  write_text(inputs_ / name, text);
  return inputs_ / name;
}

Argv Machine::apply(const std::string& file, const std::string& node) const {
  return {program_, "apply", "-f", file, "-n", node, "--root", root_};
}

Argv Machine::daemon(const std::string& text, const std::string& node) const {
  const auto file = path(protocol::kDefaultFile);
  std::filesystem::create_directories(file.parent_path());
  write_text(file, text);
  return {program_, "daemon", "-n", node, "--root", root_};
}

void at_far_end(const std::function<void()>& function) {
  std::thread([&function] {
    const UniqueFd network(open(fmt::format("/run/netns/{}", kFar).c_str(), O_RDONLY | O_CLOEXEC));
    if (setns(network.get(), CLONE_NEWNET) != 0) {
      give_up("cannot enter the network namespace of the far ends");
    }
    function();
  }).join();
}

Argv at_far_end(const Argv& argv) {
  auto words = ip({"netns", "exec", kFar});
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

Argv ip(Argv words) {
  words.insert(words.begin(), "/sbin/ip");
  return words;
}

}  // namespace spark::bench
