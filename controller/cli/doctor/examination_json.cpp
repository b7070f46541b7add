#include "cli/doctor/examination_json.hpp"

#include <array>

#include <nlohmann/json.hpp>

namespace spark::cli {
namespace {

/// In the order of the enumerators.
constexpr std::array kSeverityWords{"good", "look", "prevents"};

}  // namespace

nlohmann::json findings_json(const Examination& examination) {
  auto list = nlohmann::json::array();
  for (const auto& [section, findings] : examination.sections) {
    for (const auto& finding : findings) {
      const bool good = finding.severity == Severity::kGood;
      const auto* cause = good ? nullptr : cause_of(finding, examination);
      list.push_back(
          {{"name", finding.name},
           {"section", name_of(section)},
           {"good", good},
           {"severity", kSeverityWords.at(static_cast<std::size_t>(finding.severity))},
           {"what", finding.what},
           {"remedy", finding.remedy},
           {"follows_from", cause == nullptr ? nlohmann::json() : nlohmann::json(cause->name)}});
    }
  }
  return list;
}

}  // namespace spark::cli
