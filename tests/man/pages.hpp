#pragma once
// All manual pages, made from the tables of the program, the schemas and the units.

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cli/input/verb.hpp"

namespace spark::test::man {

/// What the pages are made from, beside the tables of the program.
struct Sources {
  nlohmann::ordered_json cluster_schema;
  nlohmann::ordered_json agent_schema;
  std::string cluster_example;
  std::string agent_example;
  /// Each unit by its name, as in systemd/.
  std::map<std::string, std::string> units;
};

std::string program_page();
std::string verb_page(const cli::VerbSpec& verb);
std::string cluster_file_page(const Sources& sources);
std::string agent_file_page(const Sources& sources);
std::string service_page(const Sources& sources);

/// By file name: "spark-reconcile.1".
std::map<std::string, std::string> all_pages(const Sources& sources);

/// "`spark-reconcile-plan(1)`" for a verb, else the page itself, with the marks of code.
std::string reference(std::string_view page);

// What the pages of docs/reference have too (reference_pages.cpp).

/// "`-f`, `--file` `FILE`".
std::string tag_of(const cli::OptionRow& option);
/// A line of the help, which is a clause, as a sentence.
std::string sentence(std::string_view clause);

}  // namespace spark::test::man
