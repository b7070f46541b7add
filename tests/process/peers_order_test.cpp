// spark-peers on a node whose order changes while connections are open in both directions. The
// other end is this test: it says hellos, connects, and never answers what it is asked.

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

#include "base/json_document.hpp"
#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"
#include "daemon/hello_door.hpp"
#include "fake/temporary_folder.hpp"
#include "host/hello_socket.hpp"
#include "process/spark.hpp"
#include "protocol/board.hpp"
#include "protocol/peers.hpp"

namespace spark::test {
namespace {

using protocol::PeersOrder;

constexpr std::array kRailsOfCage{"enp1s0f0np0", "enP2p1s0f0np0"};
constexpr std::array kPeerIps{"192.0.2.12", "198.51.100.12"};
constexpr const char* kOtherIp = "192.0.2.21";  // another one of the node on its first rail
constexpr const char* kDetails = "{\"ask\":\"details\",\"node\":\"spark2\",\"version\":1}\n";
constexpr std::chrono::seconds kPatience{20};

/// The order of spark1: its addresses by rail; empty: it has no such rail.
PeersOrder order_of(const std::array<std::string, 2>& ips) {
  PeersOrder order{.enabled = true};
  order.own.cluster = "pair";
  order.own.node = "spark1";
  for (std::size_t rail = 0; rail < ips.size(); ++rail) {
    if (ips[rail].empty()) continue;
    const auto ip = *IpAddress::parse(ips[rail]);
    protocol::RailDetails own;
    own.link = kRailsOfCage[rail];
    own.rail = static_cast<int>(rail);
    own.carrier = true;
    own.ip = ip;
    order.own.rails.push_back(own);
    order.peers.push_back({.node = "spark2",
                           .ip = *IpAddress::parse(kPeerIps[rail]),
                           .link = kRailsOfCage[rail],
                           .local = ip,
                           .rail = static_cast<int>(rail)});
  }
  return order;
}

/// An order, and what spark1 answers at its three addresses; empty: nothing.
struct OrderCase {
  std::string name;
  PeersOrder order;
  std::array<std::string, 3> answers;
};
constexpr std::array kAsked{"192.0.2.11", "198.51.100.11", kOtherIp};

class PeersOrderChanges : public ::testing::Test {
 protected:
  PeersOrderChanges() {
    const std::array ends{&one_, &two_};
    for (std::size_t rail = 0; rail < kRailsOfCage.size(); ++rail) {
      wire(one_, kRailsOfCage[rail], two_, kRailsOfCage[rail]);
      for (const auto* end : ends) end->ip(fmt::format("link set {} up", kRailsOfCage[rail]));
      one_.ip(fmt::format("address add {}/24 dev {}", kAsked[rail], kRailsOfCage[rail]));
      two_.ip(fmt::format("address add {}/24 dev {}", kPeerIps[rail], kRailsOfCage[rail]));
    }
    one_.ip(fmt::format("address add {}/24 dev {}", kOtherIp, kRailsOfCage[0]));
    one_.write("/run/spark-reconcile-peers/.keep", "");
    one_.write("/run/spark-reconcile/.keep", "");
    door_ = std::jthread([this] {
      in_network(one_.network(), [this] {
        const auto root = one_.host_path("/").parent_path().string();
        const auto door = daemon::HelloDoor::open(loop_, root);
        EXPECT_TRUE(door) << door.error().what;
        loop_.run();
      });
    });
    EXPECT_TRUE(
        wait_until([&] { return exists(one_.host_path(protocol::kHelloDoor)); }, kPatience));
    in_network(two_.network(), [this] {
      listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const SocketAddress any(*IpAddress::parse("0.0.0.0"), protocol::kPeersPort);
      EXPECT_EQ(bind(listener_.get(), any.get(), any.size()), 0);
      EXPECT_EQ(listen(listener_.get(), 1000), 0);
    });
  }
  ~PeersOrderChanges() override { loop_.stop(); }

  void start(std::vector<std::string> argv = {}) { start(one_, peers_, std::move(argv)); }
  static void start(const Spark& node, std::optional<Running>& peers,
                    std::vector<std::string> argv = {}) {
    const auto beside = std::filesystem::path(std::getenv("SPARK_RECONCILE"));
    argv.push_back(beside.parent_path() / "spark-peers");
    for (const auto* path :
         {protocol::kPeersOrderFile, protocol::kHelloDoor, protocol::kPeersReportFile}) {
      argv.push_back(node.host_path(path));
    }
    peers.emplace(Command{.argv = std::move(argv), .network = node.network()});
  }

  /// Replaces it in one rename, as the daemon does.
  template <class Document>
  static void put(const Spark& node, const Document& document, const std::string& path,
                  const char* schema) {
    node.write(path + "-new", json_text(document_of(schema, document)));
    std::filesystem::rename(node.host_path(path + "-new"), node.host_path(path));
  }
  static void put(const Spark& node, const protocol::Board& board) {
    put(node, board, protocol::kBoardFile, protocol::kBoardSchema);
  }
  void put(const PeersOrder& order) const {
    put(one_, order, protocol::kPeersOrderFile, protocol::kPeersOrderSchema);
  }

  /// spark2 connects to that address of spark1 and asks; it does not wait for an answer.
  [[nodiscard]] UniqueFd ask(std::size_t place, const std::string& text = kDetails) const {
    UniqueFd connection;
    in_network(two_.network(), [&] {
      connection = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const timeval longest{.tv_sec = 5, .tv_usec = 0};
      for (const auto option : {SO_SNDTIMEO, SO_RCVTIMEO}) {
        setsockopt(connection.get(), SOL_SOCKET, option, &longest, sizeof longest);
      }
      const SocketAddress own(*IpAddress::parse(kPeerIps[place % 2]));
      const SocketAddress to(*IpAddress::parse(kAsked[place]), protocol::kPeersPort);
      if (bind(connection.get(), own.get(), own.size()) != 0 ||
          connect(connection.get(), to.get(), to.size()) != 0) {
        connection.reset();
        return;
      }
      static_cast<void>(send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL));
    });
    return connection;
  }
  [[nodiscard]] std::string answer_at(std::size_t place, const std::string& text = kDetails) const {
    const auto connection = ask(place, text);
    std::string answer;
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0;
         connection.valid() && (got = recv(connection.get(), chunk.data(), chunk.size(), 0)) > 0;) {
      answer.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return answer;
  }
  /// What differs from the answers of that case; empty: nothing.
  [[nodiscard]] std::string wrong_answers(const OrderCase& of) const {
    std::string wrong;
    for (std::size_t place = 0; place < kAsked.size(); ++place) {
      const auto answer = answer_at(place);
      const auto& expected = of.answers[place];
      if (expected.empty() ? !answer.empty() : answer.find(expected) == std::string::npos) {
        wrong += fmt::format("{}: '{}' instead of '{}'\n", kAsked[place], answer, expected);
      }
    }
    return wrong;
  }
  [[nodiscard]] bool answers_as(const OrderCase& of) const {
    return wait_until([&] { return wrong_answers(of).empty(); }, kPatience);
  }

  /// spark2's hello on both rails, which says that it has new details: spark1 asks for them.
  void say_hello() {
    ++hellos_;
    for (std::size_t rail = 0; rail < kRailsOfCage.size(); ++rail) {
      const auto hello =
          fmt::format(R"(SPARKHI1{{"cluster":"pair","node":"spark2","cage":0,"rail":{},)"
                      R"("boot":"b","seq":{},"details":"{}"}})",
                      rail, hellos_, hellos_);
      in_network(two_.network(), [&] {
        sockaddr_ll to{};
        to.sll_family = AF_PACKET;
        to.sll_protocol = htons(protocol::kHelloEtherType);
        to.sll_ifindex = static_cast<int>(if_nametoindex(kRailsOfCage[rail]));
        to.sll_halen = ETH_ALEN;
        std::fill_n(to.sll_addr, ETH_ALEN, static_cast<unsigned char>(0xFF));
        const auto frames = host::open_hello_socket();
        ASSERT_TRUE(frames);
        EXPECT_EQ(sendto(frames->get(), hello.data(), hello.size(), 0,
                         reinterpret_cast<const sockaddr*>(&to), sizeof to),
                  std::ssize(hello));
      });
    }
  }

  /// A change of the order that spark-peers finds together with a hello and with a new connection
  /// at each address.
  void change_to(const OrderCase& next) {
    peers_->signal(SIGSTOP);
    say_hello();
    std::vector<UniqueFd> open;
    for (std::size_t place = 0; place < kAsked.size(); ++place) open.push_back(ask(place));
    put(next.order);
    peers_->signal(SIGCONT);
    ASSERT_TRUE(answers_as(next)) << wrong_answers(next) << peers_->output() << peers_->wait();
  }
  /// How often spark1 has connected.
  [[nodiscard]] std::size_t asked() const {
    std::size_t count = 0;
    while (UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)).valid()) ++count;
    return count;
  }

  [[nodiscard]] std::vector<OrderCase> cases() const {
    const std::string ours = "\"node\":\"spark1\"";
    const std::string key = "it asks for a key";
    std::vector<OrderCase> all{
        {"nothing", order_of({"", ""}), {}},
        {"first rail", order_of({"192.0.2.11", ""}), {ours, "", ""}},
        {"second rail", order_of({"", "198.51.100.11"}), {"", ours, ""}},
        {"both rails", order_of({"192.0.2.11", "198.51.100.11"}), {ours, ours, ""}},
        {"another address", order_of({kOtherIp, "198.51.100.11"}), {"", ours, ours}},
        {"off", order_of({"192.0.2.11", "198.51.100.11"}), {}},
        {"a key", order_of({"192.0.2.11", "198.51.100.11"}), {key, key, ""}},
        {"a key that is not there", order_of({"192.0.2.11", "198.51.100.11"}), {}},
    };
    all[5].order.enabled = false;
    all[6].order.key_file = keys_.path() / "key";
    all[7].order.key_file = keys_.path() / "later";
    return all;
  }
  void put_key(const std::string& name) const {
    const auto path = keys_.path() / name;
    std::ofstream(path) << std::string(64, 'e') << "\n";
    std::filesystem::permissions(path, std::filesystem::perms{0600});
  }

  Spark one_{"spark1"};
  Spark two_{"spark2"};
  TemporaryFolder keys_;
  boost::asio::io_context loop_;
  std::jthread door_;
  UniqueFd listener_;  ///< spark2's, where spark1 asks; connections wait in its queue
  std::optional<Running> peers_;
  int hellos_ = 0;
};

TEST_F(PeersOrderChanges, FromEachStateToEachOtherEndNothingThatIsOpenBesides) {
  put_key("key");
  const auto all = cases();
  start();
  // As where it starts before the daemon.
  for (std::size_t place = 0; place < kAsked.size(); ++place) EXPECT_EQ(answer_at(place), "");
  for (std::size_t from = 0; from < all.size(); ++from) {
    ASSERT_NO_FATAL_FAILURE(change_to(all[from])) << all[from].name;
    for (std::size_t to = from + 1; to < all.size(); ++to) {
      SCOPED_TRACE(fmt::format("between '{}' and '{}'", all[from].name, all[to].name));
      ASSERT_NO_FATAL_FAILURE(change_to(all[to]));
      ASSERT_NO_FATAL_FAILURE(change_to(all[from]));
    }
  }
  EXPECT_GE(asked(), 5U) << "spark1 has asked too, and waits for answers";

  // Each key and each address may come later.
  auto later = all[7];
  ASSERT_NO_FATAL_FAILURE(change_to(later));
  put_key("later");
  later.answers = all[6].answers;
  EXPECT_TRUE(answers_as(later)) << wrong_answers(later);
  // The order of a daemon that begins again stays; what is no order changes nothing.
  ASSERT_NO_FATAL_FAILURE(change_to(all[3]));
  one_.write("/run/spark-reconcile/other", "{}");
  std::filesystem::rename(one_.host_path("/run/spark-reconcile/other"),
                          one_.host_path(protocol::kPeersOrderFile));
  EXPECT_TRUE(answers_as(all[3])) << wrong_answers(all[3]);
  std::filesystem::remove(one_.host_path(protocol::kPeersOrderFile));
  ASSERT_NO_FATAL_FAILURE(change_to(all[1]));

  peers_->signal(SIGTERM);
  const auto ended = peers_->wait();
  EXPECT_EQ(ended.code, 0) << ended;
}

TEST_F(PeersOrderChanges, BoardsAreExchangedWithThePeersOfTheOrderAlone) {
  const std::string question = R"({"ask":"board","node":"spark2","version":1})"
                               "\n"
                               R"([{"node":"spark2","body":"of the peer","signature":"c2ln"}])"
                               "\n";
  const auto is_answered = [&](const std::string& text) {
    return wait_until([&] { return answer_at(0, question).find(text) != std::string::npos; },
                      kPatience);
  };
  const auto boards = [&] { return one_.read(protocol::kBoardsFile); };
  const auto has_boards = [&](const std::string& text) {
    return wait_until([&] { return boards().find(text) != std::string::npos; }, kPatience);
  };
  put(order_of({"192.0.2.11", "198.51.100.11"}));
  start();
  EXPECT_TRUE(is_answered("it knows no key of another node"));
  EXPECT_EQ(boards(), "");

  put(one_, {.asks = 3, .said = {{"spark1", "of this node", "c2ln"}}});
  EXPECT_TRUE(is_answered("of this node")) << peers_->output();
  EXPECT_TRUE(has_boards("of the peer"));
  EXPECT_EQ(answer_at(2, question), "") << "nobody is expected there";

  peers_->signal(SIGKILL);
  static_cast<void>(peers_->wait());
  start();
  EXPECT_TRUE(wait_until([&] { return boards().empty(); }, kPatience)) << "of the process before";
  EXPECT_TRUE(is_answered("of this node"));
  EXPECT_TRUE(has_boards("of the peer"));
  std::filesystem::remove(one_.host_path(protocol::kBoardFile));
  EXPECT_TRUE(is_answered("it knows no key of another node"));
  EXPECT_TRUE(has_boards("\"peers\":[]")) << boards();
}

TEST_F(PeersOrderChanges, HoweverOftenOthersConnectThisNodeStillAsks) {
  put(order_of({"192.0.2.11", "198.51.100.11"}));
  put(one_, {.asks = 1, .said = {{"spark1", "first", "c2ln"}}});
  start();
  const auto has_asked = [&] { return wait_until([&] { return asked() > 0; }, kPatience); };
  ASSERT_TRUE(has_asked());
  while (wait_until([&] { return asked() > 0; }, std::chrono::seconds(1))) {
  }
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 40; ++i) silent.push_back(ask(0, ""));
  put(one_, {.asks = 2, .said = {{"spark1", "second", "c2ln"}}});
  EXPECT_TRUE(has_asked()) << peers_->output();
}

TEST_F(PeersOrderChanges, TwoWithAKeyGiveEachOtherTheirBoardsAsTheyChange) {
  put_key("key");
  listener_.reset();
  auto order = order_of({"192.0.2.11", "198.51.100.11"});
  order.key_file = keys_.path() / "key";
  auto other = order;
  other.own.node = "spark2";
  for (auto& peer : other.peers) {
    peer.node = "spark1";
    std::swap(peer.ip, peer.local);
  }
  two_.write("/run/spark-reconcile-peers/.keep", "");
  put(order);
  put(two_, other, protocol::kPeersOrderFile, protocol::kPeersOrderSchema);
  const std::string file(300'000, 'x');
  put(one_, {.is_live = true, .asks = 1, .said = {{"spark1", "first", "c2ln"}}});
  put(two_, {.asks = 1, .said = {{"spark2", file, "c2ln"}}});
  std::optional<Running> peers_of_two;
  start();
  start(two_, peers_of_two);
  const auto has = [](const Spark& node, const std::string& body, std::uint64_t answered) {
    return wait_until(
        [&] {
          const auto boards = document_from_text<protocol::Boards>(
              protocol::kBoardsSchema, node.read(protocol::kBoardsFile));
          return boards && boards->peers.size() == 1 &&
                 boards->peers.front().said.front().body == body &&
                 boards->peers.front().answered == answered;
        },
        kPatience);
  };
  EXPECT_TRUE(has(one_, file, 1)) << peers_->output();
  EXPECT_TRUE(has(two_, "first", 1)) << peers_of_two->output();
  put(one_, {.is_live = true, .asks = 2, .said = {{"spark1", "second", "c2ln"}}});
  EXPECT_TRUE(has(one_, file, 2));
  EXPECT_TRUE(has(two_, "second", 1)) << "it was told, and has not asked";
}

TEST_F(PeersOrderChanges, WhereTheKernelHasNoIpv6SparkPeersAnswersByIpv4) {
  // As ipv6.disable=1: socket(2) knows no such family.
  constexpr const char* kWithoutIpv6 = R"(
import ctypes, os, platform, struct, sys
number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x15, 0, 1, 10), (0x06, 0, 0, 0x50061), (0x06, 0, 0, 0x7fff0000)]
filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
program = ctypes.create_string_buffer(struct.pack("HP", len(code), ctypes.addressof(filter)))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
    sys.exit("no filter")
os.execv(sys.argv[1], sys.argv[1:])
)";
  const auto all = cases();
  put(all[3].order);
  start({"python3", "-c", kWithoutIpv6});
  EXPECT_TRUE(answers_as(all[3])) << wrong_answers(all[3]) << peers_->output();
}

}  // namespace
}  // namespace spark::test
