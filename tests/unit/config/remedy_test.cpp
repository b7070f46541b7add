// A law of the findings about a file: what a finding says to write is right where it is written.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

constexpr std::string_view kGoodFile = R"(version: 1
cluster: lab
nodes: { spark1: { number: 1 }, spark2: { number: 2 } }
fabric:
  mtu: 9000
  cables: [{ ends: [spark1:0, spark2:0], subnets: [192.168.177.0/24, 192.168.178.0/24] }]
environment: { variables: { NCCL_DEBUG: INFO } }
take_over: false
)";

/// What stands in the good file, and the mistake in its place.
struct Mistake {
  std::string_view good;
  std::string_view bad;
};

constexpr Mistake kMistakes[] = {
    {"cluster: lab", "cluster lab"},
    {"cluster: lab", "cluster:lab"},
    {"cluster: lab", "name: lab"},
    {"number: 2", "ip: 192.168.177.2"},
    {"number: 2", "number: \"2\""},
    {"number: 2", "number: 192.168.177.2"},
    {"number: 2", "host: 2"},
    {"number: 2", "number: 2, hostname: spark-b"},
    {"number: 2", "number: 2, links: [enp1s0f0np0]"},
    {"number: 2", "number: 2, cages: [enp1s0f0np0, enp1s0f1np1]"},
    {"number: 2", "number: 2, modules: nvme_tcp"},
    {"number: 2", "number: 2, sysctl: { net.core.rmem_max: 256M }"},
    {"number: 2", "number: 2, sysctl: net.core.rmem_max=1"},
    {"mtu: 9000", "mtu: \"9000\""},
    {"{ spark1: { number: 1 }, spark2: { number: 2 } }",
     "[{ name: spark1, number: 1 }, { name: spark2, number: 2 }]"},
    {"{ spark1: { number: 1 }, spark2: { number: 2 } }", "[spark1, spark2]"},
    {"[{ ends: [spark1:0, spark2:0], subnets: [192.168.177.0/24, 192.168.178.0/24] }]",
     "{ a: { ends: [spark1:0, spark2:0], subnets: [192.168.177.0/24, 192.168.178.0/24] } }"},
    {"[spark1:0, spark2:0]", "spark1:0-spark2:0"},
    {"[spark1:0, spark2:0]", "[192.168.177.1, spark2:0]"},
    {"[spark1:0, spark2:0]", "[spark1, spark2:0]"},
    {"[spark1:0, spark2:0]", "[spark1: 0, spark2:0]"},
    {"[spark1:0, spark2:0]", "{ spark1: 0, spark2: 0 }"},
    {"192.168.177.0/24", "192.168.177.1/24"},
    {"{ variables: { NCCL_DEBUG: INFO } }", "[NCCL_DEBUG=INFO]"},
    {"{ variables: { NCCL_DEBUG: INFO } }", "{ variables: NCCL_DEBUG=INFO }"},
    {"{ variables: { NCCL_DEBUG: INFO } }", "{ NCCL_DEBUG: INFO }"},
    {"NCCL_DEBUG: INFO", "NCCL_DEBUG: LOUD"},
    {"NCCL_DEBUG: INFO", "NCCL_CHECK_POINTERS: true"},
    {"NCCL_DEBUG: INFO", "UCX_IB_ROCE_LOCAL_SUBNET: maybe"},
    {"take_over: false", "take_over: no"},
};

/// What the reason says to write: behind the last of these words, up to what ends a clause.
std::string remedy_of(std::string_view reason) {
  std::size_t begin = 0;
  for (const std::string_view word : {"write ", "example:\n", "called so: ", "deeper: "}) {
    if (const auto at = reason.rfind(word); at != std::string_view::npos) {
      begin = std::max(begin, at + word.size());
    }
  }
  if (begin == 0) return {};
  auto text = reason.substr(begin);
  for (const std::string_view end :
       {": each node", ", or another", "; ", ", with ", " without quotes", "\n"}) {
    text = text.substr(0, text.find(end));
  }
  return std::string(text);
}

/// The end of a value of flow style that begins at `at`.
std::size_t end_of_value(std::string_view line, std::size_t at) {
  int depth = 0;
  for (; at < line.size(); ++at) {
    if (std::string_view("[{").contains(line[at])) ++depth;
    const bool closes = std::string_view("]}").contains(line[at]);
    if (depth == 0 && (closes || line[at] == ',')) break;
    if (closes) --depth;
  }
  return line.find_last_not_of(' ', at - 1) + 1;
}

/// The line with the remedy in place of the key or the value at a column.
std::string corrected(const std::string& line, int column, std::string_view remedy) {
  auto begin = static_cast<std::size_t>(column) - 1;
  const auto key = std::string(remedy.substr(0, remedy.find(' ')));
  const auto word = std::min(line.find_first_of(":[]{}, ", begin), line.size());
  const bool is_about_key = word > begin && line.substr(word).starts_with(": ");
  // The remedy has the key, and the finding is about its value, or its missing colon.
  const auto own = key.ends_with(':') && !is_about_key
                       ? line.rfind(key.substr(0, key.size() - 1), begin)
                       : std::string::npos;
  if (own != std::string::npos) begin = own;
  return line.substr(0, begin) + std::string(remedy) + line.substr(end_of_value(line, begin));
}

std::string described(const std::vector<Diagnostic>& diagnostics, std::string_view text) {
  std::string all;
  for (const auto& diagnostic : diagnostics) all += render(diagnostic, "f", text);
  return all;
}

TEST(Remedies, AreRightWhereTheyAreWritten) {
  ASSERT_FALSE(has_errors(parse(kGoodFile).diagnostics));
  for (const auto& [good, bad] : kMistakes) {
    std::string text(kGoodFile);
    text.replace(text.find(good), good.size(), bad);
    const auto found = parse(text).diagnostics;
    ASSERT_EQ(found.size(), 1U) << bad << "\n" << described(found, text);
    const auto& [line, column] = found.front().where;
    const auto remedy = remedy_of(found.front().reason);
    ASSERT_FALSE(remedy.empty()) << described(found, text);
    const std::string wrong(line_of(text, line));
    const auto right = corrected(wrong, column, remedy);
    text.replace(text.find(wrong), wrong.size(), right);
    const auto left = parse(text).diagnostics;
    EXPECT_FALSE(has_errors(left)) << bad << " -> " << remedy << "\n" << described(left, text);
  }
}

}  // namespace
}  // namespace spark::config
