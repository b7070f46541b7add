#include "cli/share/fields.hpp"

namespace spark::cli {

std::string replaced_text(FieldClass field_class, const std::string& text, Replacements& with) {
  switch (field_class) {
    case FieldClass::kKept:
      return text;
    case FieldClass::kHost:
      return with.host(text);
    case FieldClass::kDevice:
      return with.device(text);
    case FieldClass::kMac:
      return with.mac(text);
    case FieldClass::kIp:
    case FieldClass::kBroadcast:
      return with.ip(text);
    case FieldClass::kPrefix:
      return with.prefix(text);
    case FieldClass::kSerial:
      return with.serial(text);
    case FieldClass::kUser:
      return with.user(text);
    case FieldClass::kText:
      return with.text(text);
    case FieldClass::kValue:
      return with.value(text).value_or(kLeftOutText);
    case FieldClass::kLeftOut:
      break;
  }
  return kLeftOutText;
}

}  // namespace spark::cli
