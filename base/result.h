// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

// Errors as values. Every fallible function returns Result<T> (or Status when there is nothing to
// return). The names follow std::expected, which can replace this class once C++23 is the floor.
namespace sqfs {

// What kind of failure an Error is. It decides the exit status, never the text.
enum class Code : uint8_t {
  kIo,           // the operating system refused; os_errno says why
  kCorrupt,      // the bytes of an image are wrong; problem says how
  kUnsupported,  // legal, but not built in or not possible here
  kUsage,        // the caller asked for something impossible
  kNoMemory,
  kCancelled,
};

// One failure, complete: it can be translated to a sentence without further context.
struct Error {
  Code code = Code::kIo;
  uint16_t problem = 0;  // number of a catalogue row (squashfs-format/problem.h); 0: none
  uint64_t offset = 0;   // where, in the space that the failing function documents
  int os_errno = 0;      // errno of the failing call; 0: none
  std::string what;      // a sentence without the trailing dot, naming the file where there is one

  // Adds the place of a caller in front: "PREFIX: what".
  Error with_context(const std::string& prefix) && {
    what = prefix + ": " + what;
    return std::move(*this);
  }
};

inline Error io_error(int os_errno, std::string what) {
  return Error{Code::kIo, 0, 0, os_errno, std::move(what)};
}
inline Error usage_error(std::string what) { return Error{Code::kUsage, 0, 0, 0, std::move(what)}; }
inline Error unsupported_error(std::string what) {
  return Error{Code::kUnsupported, 0, 0, 0, std::move(what)};
}

// Holds a T or an Error. Accessing the wrong one is a bug of the caller. The error lives on the
// heap: it is the rare case, and a Result of a number stays two words.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : value_(std::move(value)) {}                               // NOLINT: implicit
  Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT: implicit

  // Lets `return some_unique_ptr_to_derived;` convert.
  template <class U>
    requires(std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             !std::is_same_v<std::remove_cvref_t<U>, Result<T>>)
  Result(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT: implicit

  Result(Result&&) noexcept = default;
  Result& operator=(Result&&) noexcept = default;
  Result(const Result& other)
      : value_(other.value_),
        error_(other.error_ ? std::make_unique<Error>(*other.error_) : nullptr) {}
  Result& operator=(const Result& other) { return *this = Result(other); }
  ~Result() = default;

  bool has_value() const { return error_ == nullptr; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

  T value_or(T fallback) const& { return has_value() ? *value_ : std::move(fallback); }

 private:
  std::optional<T> value_;
  std::unique_ptr<Error> error_;
};

struct Unit {};
using Status = Result<Unit>;
inline Status ok() { return Unit{}; }

}  // namespace sqfs

#define SQFS_CONCAT_INNER(a, b) a##b
#define SQFS_CONCAT(a, b) SQFS_CONCAT_INNER(a, b)

// SQFS_TRY(lhs, expr): evaluates expr (a Result); returns its error from the enclosing function, or
// binds its value to lhs, which may be a declaration (`const uint32_t size`).
#define SQFS_TRY(lhs, ...) SQFS_TRY_INNER(SQFS_CONCAT(sqfs_try_, __LINE__), lhs, __VA_ARGS__)
#define SQFS_TRY_INNER(tmp, lhs, ...) \
  auto tmp = (__VA_ARGS__);           \
  if (!tmp.has_value()) [[unlikely]]  \
    return std::move(tmp).error();    \
  lhs = std::move(tmp).value()

// SQFS_CHECKED(expr): as SQFS_TRY for a Status: returns its error, drops its value.
#define SQFS_CHECKED(...)                                                        \
  do {                                                                           \
    if (auto sqfs_status = (__VA_ARGS__); !sqfs_status.has_value()) [[unlikely]] \
      return std::move(sqfs_status).error();                                     \
  } while (false)
