#include "process/spark.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

namespace spark::test {
namespace {

std::string read_all(const std::filesystem::path& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_all(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  EXPECT_TRUE(file.good()) << "cannot write " << path;
}

UniqueFd make_network() {
  UniqueFd network;
  std::thread([&network] {
    if (unshare(CLONE_NEWNET) == 0) {
      network = UniqueFd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    }
  }).join();
  return network;
}

std::filesystem::path make_root() {
  std::string name = (std::filesystem::temp_directory_path() / "spark-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr) << "cannot make " << name;
  // Some tests look at it as nobody.
  std::filesystem::permissions(name, std::filesystem::perms(0755));
  return name;
}

/// `local`: the routes of the table local, IPv6. The kernel adds that of an address a moment after
/// the address.
bool is_settled(const nlohmann::json& link, const std::string& local) {
  const auto& flags = link["flags"];
  const bool carrier = std::ranges::find(flags, "LOWER_UP") != flags.end();
  const auto& addresses = link["addr_info"];
  return (!carrier || link["operstate"] == "UP" || link["operstate"] == "UNKNOWN") &&
         std::ranges::none_of(addresses, [&](const auto& a) {
           const bool is_local =
               a["family"] != "inet6" ||
               local.contains(fmt::format("local {} ", a["local"].template get<std::string>()));
           return a.contains("tentative") || (carrier && !is_local);
         });
}

/// The program to be tested; CTest says where it is.
std::string program() {
  const char* path = std::getenv("SPARK_RECONCILE");
  EXPECT_NE(path, nullptr) << "SPARK_RECONCILE is not set";
  return path == nullptr ? "" : path;
}

}  // namespace

Spark::Spark(std::string hostname)
    : hostname_(std::move(hostname)), network_(make_network()), root_(make_root()) {
  EXPECT_TRUE(network_.valid()) << "cannot make a network namespace: these tests need root";
  set_sysctl("net.ipv6.conf.default.addr_gen_mode", "1");
  set_sysctl("net.ipv6.conf.default.accept_dad", "0");
  ip("link set lo up");
}

Spark::~Spark() {
  std::error_code ignored;  // a directory left in /tmp fails no test
  std::filesystem::remove_all(root_, ignored);
}

void Spark::ip(const std::string& lines) const {
  const auto outcome =
      run({.argv = {"ip", "-batch", "-"}, .input = lines + "\n", .network = network()});
  EXPECT_EQ(outcome.code, 0) << outcome.err << lines;
}

void Spark::add_link(const std::string& name) const {
  ip(
      fmt::format("link add {0} type veth peer name x-{0}\n"
                  "link set x-{0} up\n"
                  "link set {0} up",
                  name));
}

std::string Spark::network_path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), network());
}

void Spark::settle() const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto links = nlohmann::json::parse(show({"-json", "address"}), nullptr, false);
    const auto local = show({"-6", "route", "show", "table", "local"});
    if (std::ranges::all_of(links, [&](const auto& link) { return is_settled(link, local); })) {
      return;
    }
    poll(nullptr, 0, 20);
  }
  ADD_FAILURE() << "never settles:\n" << show({"address"});
}

void Spark::write(const std::string& path, const std::string& text) const {
  std::filesystem::create_directories(host_path(path).parent_path());
  write_all(host_path(path), text);
}

std::string Spark::read(const std::string& path) const { return read_all(host_path(path)); }

std::filesystem::path Spark::host_path(const std::string& path) const {
  return root_ / std::filesystem::path(path).relative_path();
}

std::string Spark::sysctl(const std::string& key) const {
  std::string text;
  in_network(network(), [&] {
    std::string path = key;
    std::ranges::replace(path, '.', '/');
    text = read_all("/proc/sys/" + path);
  });
  return text.substr(0, text.find('\n'));
}

void Spark::set_sysctl(const std::string& key, const std::string& value) const {
  in_network(network(), [&] {
    std::string path = key;
    std::ranges::replace(path, '.', '/');
    write_all("/proc/sys/" + path, value + "\n");
  });
}

void Spark::file(const std::string& text) const {
  write("/etc/spark-reconcile/cluster.yaml", text);
}

void Spark::file_with_links(const std::string& lines) const {
  auto text = fmt::format("version: 1\ncluster: lab\nnodes:\n  {}:\n    links:\n", hostname_);
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) {
    text += "      " + line + "\n";
  }
  file(text);
}

Command Spark::command(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv{program()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  argv.insert(argv.end(), {"--root", root_.string()});
  return {.argv = std::move(argv), .hostname = hostname_, .network = network()};
}

Outcome Spark::reconcile(const std::vector<std::string>& arguments) const {
  return run(command(arguments));
}

nlohmann::json Spark::json(std::vector<std::string> arguments) const {
  arguments.emplace_back("--json");
  const auto outcome = reconcile(arguments);
  auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << outcome.out << outcome.err;
  return json;
}

std::string Spark::show(const std::vector<std::string>& arguments) const {
  std::vector<std::string> argv{"ip"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run({.argv = std::move(argv), .network = network()}).out;
}

std::string Spark::dump() const {
  settle();
  // The order of equal IPv6 prefixes is not always the same.
  std::istringstream routes(show({"-details", "-6", "route", "show", "table", "all"}));
  std::multiset<std::string> sorted;
  for (std::string line; std::getline(routes, line);) {
    sorted.insert(line + "\n");
  }
  return show({"-details", "link"}) + show({"-details", "address"}) +
         show({"-details", "-4", "route", "show", "table", "all"}) +
         fmt::format("{}", fmt::join(sorted, ""));
}

std::vector<std::string> Spark::addresses(const std::string& link) const {
  std::vector<std::string> addresses;
  const auto links =
      nlohmann::json::parse(show({"-json", "address", "show", link}), nullptr, false);
  for (const auto& address : links.empty() ? nlohmann::json() : links[0]["addr_info"]) {
    addresses.push_back(
        fmt::format("{}/{}", address["local"].get<std::string>(), address["prefixlen"].get<int>()));
  }
  std::ranges::sort(addresses);
  return addresses;
}

nlohmann::json Spark::link(const std::string& name) const {
  const auto links =
      nlohmann::json::parse(show({"-json", "-details", "link", "show", name}), nullptr, false);
  return links.is_array() && !links.empty() ? links[0] : nlohmann::json();
}

void wire(const Spark& a, const std::string& link_a, const Spark& b, const std::string& link_b) {
  a.ip(
      fmt::format("link add {} type veth peer name {} netns {}", link_a, link_b, b.network_path()));
}

void in_network(int network, const std::function<void()>& function) {
  std::thread([network, &function] {
    EXPECT_EQ(setns(network, CLONE_NEWNET), 0);
    function();
  }).join();
}

bool wait_until(const std::function<bool()>& holds, std::chrono::seconds longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    poll(nullptr, 0, 100);
  }
  return true;
}

std::string source_file(const std::string& path) {
  return read_all(std::filesystem::path(SPARK_SOURCE_DIR) / path);
}

}  // namespace spark::test
