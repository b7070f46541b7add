// `init --from-host` on ten machines, recorded in recorded_hosts.yaml: all that the kernel and the
// files of each have is in the file that it writes, or in a comment of it.

#include <sstream>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::IsEmpty;

/// The words of each line that is neither empty nor a comment.
std::vector<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    std::istringstream one(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; one >> word;) words.push_back(word);
    if (!words.empty()) lines.push_back(std::move(words));
  }
  return lines;
}

/// What `ip` shows: addresses, routes of people and programs, rules.
std::vector<std::string> wanted_of_network(const Spark& spark) {
  std::vector<std::string> wanted;
  for (const auto& link : nlohmann::json::parse(spark.show({"-json", "address", "show"}))) {
    for (const auto& address : link["addr_info"]) {
      if (address["scope"] == "host") continue;
      wanted.push_back(address["local"].get<std::string>() + "/" +
                       std::to_string(address["prefixlen"].get<int>()));
    }
  }
  for (const auto* family : {"-4", "-6"}) {
    const auto routes = nlohmann::json::parse(
        spark.show({"-json", family, "route", "show", "table", "all", "type", "unicast"}));
    for (const auto& route : routes) {
      if (route.value("protocol", "") != "kernel")
        wanted.push_back(route["dst"].get<std::string>());
    }
    for (const auto& rule : nlohmann::json::parse(spark.show({"-json", family, "rule", "show"}))) {
      if (rule.value("src", "all") != "all") wanted.push_back(rule["src"].get<std::string>());
    }
  }
  return wanted;
}

/// What the file at that path says, by the first words of its lines.
std::vector<std::string> wanted_of_file(const std::string& path, const std::string& text) {
  std::vector<std::string> wanted;
  for (auto& words : words_of(text)) {
    if (path.contains("sysctl")) {
      auto key = words[0].substr(0, words[0].find('='));
      std::ranges::replace(key, '/', '.');
      wanted.push_back(key.substr(key.starts_with('-') ? 1 : 0));
    } else if (path.contains("/limits") && words[2] == "memlock") {
      wanted.push_back(path + ":");
    } else if (path == "/etc/hosts" && !words[0].starts_with("127.")) {
      wanted.insert(wanted.end(), words.begin(), words.end());
    } else if (path == "/etc/fstab" && words[3].contains("_netdev")) {
      wanted.push_back(words[1]);
    } else if (words.back().contains("_IFNAME=") || words.back().starts_with("NCCL_")) {
      wanted.push_back(words.back());
    } else if (path.contains("crontabs/") || path.ends_with(".sh") || path.contains("netplan") ||
               path.ends_with(".nmconnection") || words[0].contains("nvme")) {
      wanted.push_back(path);
    }
  }
  return wanted;
}

TEST(FromRecordedHosts, AllThatTheyHaveIsInTheFileOrInAComment) {
  const auto hosts = YAML::Load(source_file("tests/process/recorded_hosts.yaml"));
  ASSERT_EQ(hosts.size(), 10);
  for (const auto& host : hosts) {
    SCOPED_TRACE(host.first.as<std::string>());
    const Spark spark;
    for (const auto* rail : {"enp1s0f0np0", "enP2p1s0f0np0", "enp1s0f1np1", "enP2p1s0f1np1"}) {
      spark.add_link(rail);
    }
    for (const auto& link : host.second["links"]) spark.add_link(link.as<std::string>());
    spark.ip(host.second["ip"].as<std::string>());
    spark.settle();
    auto wanted = wanted_of_network(spark);
    for (const auto& file : host.second["files"]) {
      const auto path = file.first.as<std::string>();
      const auto text = file.second.as<std::string>();
      spark.write(path, text);
      for (auto& word : wanted_of_file(path, text)) wanted.push_back(std::move(word));
    }
    const auto before = spark.dump();
    const auto written = spark.reconcile({"init", "--from-host"});
    EXPECT_THAT(written, ExitsWith(0));
    std::erase_if(wanted, [&](const std::string& word) { return written.out.contains(word); });
    EXPECT_THAT(wanted, IsEmpty()) << written.out;
    EXPECT_FALSE(written.out.contains("Could not be read")) << written.out;
    // The file is one that this machine can have, and nothing of the network changes by it.
    spark.file(written.out);
    const auto plan = spark.json({"plan"});
    EXPECT_THAT(plan["refusals"], IsEmpty());
    for (const auto& step : plan["steps"]) {
      EXPECT_EQ(step["disturbs"]["what"], "nothing") << step["kind"] << " " << step["key"];
    }
    EXPECT_EQ(spark.dump(), before);
  }
}

}  // namespace
}  // namespace spark::test
