#pragma once
// The pages of docs/reference that are made from the tables of the program.

#include <map>
#include <string>

namespace spark::test::man {

std::string verbs_page();
std::string messages_page();
/// The variables that `environment` takes.
std::string variables_page();

/// By file name: "verbs.md".
std::map<std::string, std::string> reference_pages();

}  // namespace spark::test::man
