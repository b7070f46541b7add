#pragma once
// BusAnswer: what spark-bus-call prints, and the program reads.

#include <optional>
#include <string>

#include "base/fields.hpp"
#include "base/result.hpp"

namespace spark::protocol {

struct BusAnswer {
  std::optional<Error> error;
  std::optional<std::string> output;  ///< of a service that was run
};

template <EitherConst<BusAnswer> T, class Visit>
void each_field(T& answer, Visit visit) {
  visit("error", unless_empty(answer.error));
  visit("output", unless_empty(answer.output));
}

}  // namespace spark::protocol
