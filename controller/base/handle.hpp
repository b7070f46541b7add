#pragma once
// Handle<T, kFree> owns one object of a C library and frees it with that library's own function.

#include <memory>

namespace spark {

template <auto kFree>
struct FreeWith {
  template <class T>
  void operator()(T* object) const {
    // Teardown has no one to report to; the libraries' free functions either return void or a
    // status that means "it was not yours".
    static_cast<void>(kFree(object));
  }
};

template <class T, auto kFree>
using Handle = std::unique_ptr<T, FreeWith<kFree>>;

}  // namespace spark
