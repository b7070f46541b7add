// What the program never does, as docs/explain/security.md promises it: every verb
// under strace, on a machine that is cabled to another one.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kFileText = R"(version: 1
cluster: pair
nodes:
  spark1: { number: 11 }
  spark2: { number: 12 }
fabric:
  mtu: 9000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
host:
  sysctl: { net.ipv4.tcp_ecn: 1 }
  hosts: { suffix: -fabric }
environment: { profile: true }
)";

using Words = std::vector<std::string>;

/// A system call: which verb made it, and strace's line.
struct Call {
  std::string verb;
  std::string line;
};

std::ostream& operator<<(std::ostream& stream, const Call& call) {
  return stream << call.verb << ": " << call.line;
}

class Promises : public ::testing::Test {
 protected:
  Promises() {
    for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
      wire(spark_, rail, peer_, rail);
    }
    for (const auto* machine : {&spark_, &peer_}) {
      machine->write("/etc/hosts", "127.0.0.1 localhost\n");
      machine->file(kFileText);
    }
    EXPECT_THAT(peer_.reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
  }

  /// Which of these calls the verbs make in the life of a node, from its first plan to its release.
  /// `look` is called after each verb.
  std::vector<Call> calls_of_all_verbs(
      const std::string& traced, const std::function<void()>& look = [] {}) {
    const auto saved = spark_.host_path("/saved.plan").string();
    trace_each({{"version"},
                {"help"},
                {"init", "--from-host", "-o", spark_.host_path("/new.yaml").string()},
                {"validate"},
                {"topology"},
                {"plan"},
                {"diff"},
                {"plan", "--out", saved}},
               traced, look);
    trace_each({{"apply", saved}, {"apply"}, {"status"}, {"gate"}, {"jobs"}, {"export"}, {"facts"}},
               traced, look);
    trace_daemon(traced);
    look();
    trace_completion(traced);
    look();
    trace_each({{"events"},
                {"wait", "--timeout", "10ms"},
                {"bench"},
                {"explain"},
                {"explain", "mtu/enp1s0f0np0"},
                {"join"},
                {"doctor"},
                {"doctor", "--bundle", spark_.host_path("/bundle.json").string()},
                {"pause", "--for", "1h"},
                {"resume"},
                {"mute"},
                {"mute", "--end", "SparkDrift"},
                {"confirm"},
                {"follow"},
                {"sync"},
                {"rollout", "--engine", "slurm", "--help"}},
               traced, look);
    spark_.file(std::regex_replace(kFileText, std::regex("9000"), "4000"));
    trace_each({{"apply"}, {"history"}, {"rollback"}}, traced, look);
    EXPECT_TRUE(has_mtu(9000)) << "as before the second file";
    trace_each({{"plan", "--release"}, {"release"}}, traced, look);
    EXPECT_THAT(spark_.addresses("enp1s0f0np0"), IsEmpty());
    for (const auto& verb : verbs()) {
      EXPECT_TRUE(traced_.contains(verb)) << verb << " is left out";
    }
    return calls_;
  }

  /// Those of `gate` alone.
  std::vector<Call> calls_of_gate(const std::string& traced) {
    trace_each({{"gate"}}, traced, [] {});
    return calls_;
  }

  Spark spark_;
  Spark peer_{"spark2"};

 private:
  /// Those that `help --all` lists.
  [[nodiscard]] std::vector<std::string> verbs() const {
    const auto help = spark_.reconcile({"help", "--all"}).out;
    const std::regex verb("\n  ([a-z]+)[ ,]");
    std::vector<std::string> verbs;
    for (std::sregex_iterator found(help.begin(), help.end(), verb), end; found != end; ++found) {
      verbs.push_back((*found)[1]);
    }
    EXPECT_THAT(verbs, Contains("apply")) << help;
    return verbs;
  }

  [[nodiscard]] std::string log() const { return spark_.host_path("/calls").string(); }
  [[nodiscard]] bool has_mtu(int bytes) const { return spark_.link("enp1s0f0np0")["mtu"] == bytes; }

  [[nodiscard]] Command under_strace(const Words& words, const std::string& traced) const {
    auto command = spark_.command(words);
    const Words strace = {"strace", "-f", "--seccomp-bpf", "-yy", "-qq", "-s",
                          "4096",   "-e", "signal=none",   "-e"};
    command.argv.insert(command.argv.begin(), {"trace=" + traced, "-o", log(), "--"});
    command.argv.insert(command.argv.begin(), strace.begin(), strace.end());
    command.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // which cannot be under strace
    return command;
  }

  void take_calls(const std::string& verb) {
    std::ifstream file(log());
    EXPECT_TRUE(file) << verb;
    // Of threads at the same time strace writes a call in two lines.
    constexpr std::string_view kUnfinished = " <unfinished ...>";
    constexpr std::string_view kResumed = " resumed>";
    std::map<std::string, std::string> begun;  // by process
    for (std::string line; std::getline(file, line);) {
      const auto process = line.substr(0, line.find(' '));
      const auto call = line.find_first_not_of(' ', process.size());
      if (line.ends_with(kUnfinished)) {
        begun[process] = line.substr(0, line.size() - kUnfinished.size());
      } else if (call != std::string::npos && line.compare(call, 5, "<... ") == 0) {
        const auto rest = line.find(kResumed, call) + kResumed.size();
        calls_.push_back({verb, begun[process] + line.substr(rest)});
      } else {
        calls_.push_back({verb, line});
      }
    }
    fs::remove(log());
    traced_.insert(verb);
  }

  void trace_each(const std::vector<Words>& verbs, const std::string& traced,
                  const std::function<void()>& look) {
    for (const auto& words : verbs) {
      const auto outcome = run(under_strace(words, traced));
      EXPECT_NE(outcome.code, -1) << words.front() << outcome;
      EXPECT_NE(outcome.code, 64) << words.front() << outcome;
      take_calls(words.front());
      look();
    }
  }

  /// It starts, corrects drift, and ends. It is not told to by strace, which would only let it go.
  void trace_daemon(const std::string& traced) {
    Running daemon(under_strace({"daemon"}, traced));
    wait_until([&] { return !spark_.read("/run/spark-reconcile/status.json").empty(); });
    spark_.ip("link set enp1s0f0np0 mtu 1500");
    wait_until([&] { return has_mtu(9000); });
    kill(std::stoi(spark_.read("/run/spark-reconcile/daemon.lock")), SIGTERM);
    EXPECT_THAT(daemon.wait(), ExitsWith(0));
    take_calls("daemon");
  }

  /// What a shell runs while somebody types.
  void trace_completion(const std::string& traced) {
    auto command = under_strace({"complete", "--"}, traced);
    // Behind --root, with which the command line of a machine ends.
    command.argv.insert(command.argv.end(), {"plan", "-n", ""});
    const auto outcome = run(command);
    EXPECT_EQ(outcome.out, "spark1\tnumber 11\nspark2\tnumber 12\n");
    EXPECT_EQ(outcome.err, "");
    take_calls("complete");
  }

  /// Looks again and again, for at most half a minute.
  static void wait_until(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds() && std::chrono::steady_clock::now() < deadline) poll(nullptr, 0, 20);
    EXPECT_TRUE(holds());
  }

  std::vector<Call> calls_;
  std::set<std::string> traced_;
};

/// The first text in quotes.
std::string quoted_in(const std::string& line) {
  const auto begin = line.find('"') + 1;
  return line.substr(begin, line.find('"', begin) - begin);
}

TEST_F(Promises, NoVerbRunsAnotherProgram) {
  const std::set<std::string> ours = {"spark-reconcile", "spark-verbs-probe",
                                      "spark-bus-call",  "spark-storage",
                                      "spark-web",       "spark-reconcile-slurm"};
  const auto calls = calls_of_all_verbs("execve,execveat");
  EXPECT_THAT(calls, Not(IsEmpty())) << "at least itself";
  for (const auto& call : calls) {
    EXPECT_THAT(ours, Contains(fs::path(quoted_in(call.line)).filename().string())) << call;
  }
}

TEST_F(Promises, NoVerbLoadsOrUnloadsAModule) {
  EXPECT_THAT(calls_of_all_verbs("init_module,finit_module,delete_module"), IsEmpty());
}

TEST_F(Promises, NoVerbListensOnANetwork) {
  const auto calls = calls_of_all_verbs("listen");
  EXPECT_EQ(calls.size(), 1U) << "below /run for spark-peers";
  for (const auto& call : calls) {
    EXPECT_EQ(call.verb, "daemon");
    EXPECT_THAT(call.line, HasSubstr("<UNIX"));
  }
}

/// The address that a packet of a socket for echoes is for; empty for another one. No expression is
/// matched against a line: std::regex calls itself for each character, and a line may have 4096.
std::string echo_to(const std::string& line) {
  if (line.find("<PING") == std::string::npos && line.find("<RAW") == std::string::npos) return "";
  return quoted_in(line.substr(line.rfind("sa_family=AF_INET")));
}

/// An ARP frame, by its type, hardware, protocol and lengths, as strace writes bytes.
bool is_arp(const std::string& line) {
  return line.find("\\10\\6\\0\\1\\10\\0\\6\\4") != std::string::npos;
}

/// A question by ARP ends with the address that it is for, as strace writes bytes.
bool asks_for_a_peer(const std::string& line) {
  return line.contains(R"(\300\0\2\f", 42)") || line.contains(R"(\3063d\f", 42)");
}
bool asks_for_own(const std::string& line) {
  return line.contains(R"(\300\0\2\v", 42)") || line.contains(R"(\3063d\v", 42)");
}

TEST_F(Promises, QuestionsAreAskedForAddressesOfTheFileAlone) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  peer_.set_sysctl("net.ipv4.icmp_echo_ignore_all", "1");
  std::size_t questions = 0;
  for (const auto& call : calls_of_gate("sendto,sendmsg,sendmmsg")) {
    if (!is_arp(call.line)) continue;
    EXPECT_TRUE(asks_for_a_peer(call.line) || asks_for_own(call.line)) << call;
    questions += static_cast<std::size_t>(asks_for_a_peer(call.line));
  }
  EXPECT_EQ(questions, 2U) << "one for each rail";
}

TEST_F(Promises, NothingIsSentButEchoesToPeersOfTheFile) {
  std::set<std::string> asked;
  for (const auto& call : calls_of_all_verbs("connect,sendto,sendmsg,sendmmsg")) {
    EXPECT_TRUE(!is_arp(call.line) || asks_for_a_peer(call.line) || asks_for_own(call.line))
        << call;
    if (call.line.find("sa_family=AF_INET") == std::string::npos) continue;
    EXPECT_TRUE(call.verb == "gate" || call.verb == "daemon") << call;
    asked.insert(echo_to(call.line));
  }
  EXPECT_THAT(asked, ::testing::ElementsAre("192.0.2.12", "198.51.100.12"));
}

/// What docs/explain/security.md says under "What it writes".
std::string manual() {
  const auto text = source_file("docs/explain/security.md");
  const auto begin = text.find("## What it writes");
  EXPECT_NE(begin, std::string::npos);
  return text.substr(begin, text.find("\n## ", begin) - begin);
}

/// The file that a call opened, made, moved or removed.
std::string target_of(const std::string& line) {
  // "openat(… = 3</run/file>", or "renameat(4</run>, "file", …".
  const auto result = line.rfind(" = ");
  if (const auto opened = line.find('<', result);
      opened != std::string::npos && line.ends_with('>')) {
    return line.substr(opened + 1, line.size() - opened - 2);
  }
  const auto quote = line.find('"');
  if (quote >= 3 && quote != std::string::npos && line.compare(quote - 3, 3, ">, ") == 0) {
    const auto directory = line.rfind('<', quote) + 1;
    return fs::path(line.substr(directory, quote - 3 - directory)) / quoted_in(line);
  }
  return quoted_in(line);
}

bool changes_nothing(const std::string& line) {
  const auto has = [&](std::string_view word) { return line.find(word) != std::string::npos; };
  return has(" = -1 ") || (has("open") && (has("O_RDONLY") || has("O_PATH")));
}

std::set<std::string> files_below(const fs::path& root) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) {
      files.insert("/" + entry.path().lexically_relative(root).string());
    }
  }
  return files;
}

TEST_F(Promises, NoVerbWritesAnotherFileThanTheManualNames) {
  const auto root = spark_.host_path("/");
  const auto before = files_below(root);
  std::set<std::string> written;
  const auto calls = calls_of_all_verbs(
      "openat,openat2,creat,mkdirat,renameat,renameat2,unlinkat,linkat,symlinkat,mknodat,"
      "?open,?mkdir,?rename,?unlink,?rmdir,?link,?symlink,?mknod,truncate",
      [&] {
        std::ranges::set_difference(files_below(root), before,
                                    std::inserter(written, written.end()));
      });
  for (const auto& call : calls) {
    if (changes_nothing(call.line)) continue;
    const auto target = target_of(call.line);
    EXPECT_TRUE(target.starts_with(root.string()) || target.starts_with("/proc/sys/net/") ||
                target == "/dev/null")
        << call;
  }
  for (const auto* named : {"/saved.plan", "/new.yaml", "/bundle.json"}) {
    EXPECT_EQ(written.erase(named), 1) << named << " is where the command line said";
  }
  EXPECT_THAT(written, Contains("/var/lib/spark-reconcile/spark1/ledger.json"));
  const auto text = manual();
  for (const auto& path : written) {
    const bool is_kept = path.starts_with("/var/lib/spark-reconcile/spark1/files/");
    EXPECT_TRUE(text.contains(is_kept ? "NODE/files/" : fs::path(path).filename().string()))
        << path << " does not stand under 'What it writes'";
  }
  const auto purge = source_file("debian/spark-reconcile.postrm");
  for (const auto& path : written) {
    // Of the others a purge removes the lines, or nothing: they are the owner's.
    const bool is_ours = path.starts_with("/etc/") && path.contains("spark-reconcile") &&
                         !path.ends_with(".spark-reconcile~");
    EXPECT_TRUE(!is_ours || purge.contains("\n" + path + "\n")) << path << " outlives a purge";
  }
}

}  // namespace
}  // namespace spark::test
