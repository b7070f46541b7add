#pragma once
// The pages of docs/reference that are made from the tables of the program.

#include <map>
#include <string>

namespace spark::test::man {

std::string verbs_page();
/// `errors` is docs/reference/errors.md, whose headings name the ids that no table has.
std::string messages_page(const std::string& errors);
/// The variables that `environment` takes.
std::string variables_page();

/// By file name: "verbs.md".
std::map<std::string, std::string> reference_pages(const std::string& errors);

}  // namespace spark::test::man
