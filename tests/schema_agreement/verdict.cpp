// Reads one document a line, of the language that its argument names (cluster or agent), and prints
// what the parser says about its structure: "valid", or the ids of what it refuses. The other half
// of the comparison is compare.py.

#include <iostream>
#include <string>
#include <string_view>

#include "config/agent.hpp"
#include "config/parse/parse.hpp"
#include "config/yaml/diagnostic_ids.hpp"

int main(int count, char** words) {
  const bool agent = count > 1 && std::string_view(words[1]) == "agent";
  const auto first_meaning = spark::config::text_of(spark::config::SpecId::kMore);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string ids;
    const auto findings = agent ? spark::config::parse_agent(line).diagnostics
                                : spark::config::parse(line).diagnostics;
    for (const auto& diagnostic : findings) {
      if (diagnostic.id < first_meaning) ids += diagnostic.id + " ";
    }
    std::cout << (ids.empty() ? "valid" : ids) << "\n";
  }
}
