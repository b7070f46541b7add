#pragma once
// JsonReader under the name that it had in this room.

#include "base/json_reader.hpp"
#include "host/json/view_fields.hpp"

namespace spark::host {
using spark::JsonReader;
}  // namespace spark::host
