#include "cli/doctor/examination_json.hpp"

#include <array>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_writer.hpp"
#include "cli/doctor/causes.hpp"

namespace spark::cli {
namespace {

/// In the order of the enumerators.
constexpr std::array kSeverityWords{"good", "look", "prevents"};

nlohmann::json null_if_empty(std::string_view text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

std::set<std::string> links_in(const Finding& finding) {
  std::set<std::string> links;
  for (const auto& problem : finding.problems) {
    if (!problem.found.link.empty()) links.insert(problem.found.link);
  }
  return links;
}

}  // namespace

nlohmann::json findings_json(const Examination& examination) {
  auto list = nlohmann::json::array();
  const auto causes = causes_of(examination);
  for (const auto& [section, findings] : examination.sections) {
    for (const auto& finding : findings) {
      const auto cause = causes.find(&finding);
      const protocol::Problem none;
      const auto& found = finding.problems.empty() ? none : finding.problems.front().found;
      list.push_back(
          {{"name", finding.name},
           {"section", name_of(section)},
           {"good", is_good(finding)},
           {"severity", kSeverityWords.at(static_cast<std::size_t>(finding.severity))},
           {"what", finding.what},
           {"remedy", finding.remedy},
           {"id", null_if_empty(found.id)},
           {"detail", JsonWriter::write(found.detail)},
           {"links", links_in(finding)},
           {"follows_from",
            null_if_empty(cause == causes.end() ? std::string_view() : cause->second->name)}});
    }
  }
  return list;
}

}  // namespace spark::cli
