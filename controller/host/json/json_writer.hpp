#pragma once
// JsonWriter under the name that it had in this room.

#include "base/json_writer.hpp"
#include "host/json/view_fields.hpp"

namespace spark::host {
using spark::JsonWriter;
}  // namespace spark::host
