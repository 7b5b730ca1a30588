// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "base/text.h"
#include "cli/io.h"

#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace sqfs {
namespace {

constexpr unsigned kDefaultColumns = 80;
constexpr size_t kStreamPiece = 64u << 10;
constexpr const char* kDateProgram = "/usr/bin/date";

Error errno_error(const std::string& what, const std::string& path) {
  const int why = errno;
  return io_error(why, what + " \"" + printable(path) + "\" because " + errno_text(why));
}

constexpr std::array<int, 3> kEndingSignals = {SIGINT, SIGTERM, SIGHUP};
constexpr int kPollMilliseconds = 200;

bool is_signal_pending() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  for (const int number : kEndingSignals) {
    if (sigismember(&pending, number) == 1) return true;
  }
  return false;
}

// Writes in pieces that a pipe takes at once when it is ready, so that a reader that stands still
// cannot keep us from noticing a signal, which is blocked and interrupts nothing.
class DescriptorSink final : public TextSink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

  void write(std::string_view text) override {
    while (!text.empty() && is_complete_) {
      if (!wait_until_ready()) {
        is_complete_ = false;
        return;
      }
      const ssize_t put =
          ::write(descriptor_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
      if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      is_complete_ = put > 0;
      if (put > 0) text.remove_prefix(static_cast<size_t>(put));
    }
  }
  bool is_complete() const override { return is_complete_; }

 private:
  // False when a signal arrives first.
  bool wait_until_ready() const {
    pollfd ready{descriptor_, POLLOUT, 0};
    for (;;) {
      const int count = poll(&ready, 1, kPollMilliseconds);
      if (count > 0 || (count < 0 && errno != EINTR)) return true;
      if (is_signal_pending()) return false;
    }
  }

  const int descriptor_;
  bool is_complete_ = true;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

class FileSink final : public TextSink {
 public:
  explicit FileSink(File file) : file_(std::move(file)) {
    std::setvbuf(file_.get(), nullptr, _IOLBF, BUFSIZ);
  }

  void write(std::string_view text) override {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) is_complete_ = false;
  }
  bool is_complete() const override { return is_complete_ && std::ferror(file_.get()) == 0; }

 private:
  File file_;
  bool is_complete_ = true;
};

// Runs date(1), its standard output and error going to `output`. No shell reads the text.
bool spawn_date(const std::string& text, int input_end, int output_end, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output_end, STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, input_end);
  posix_spawn_file_actions_addclose(&actions, output_end);
  std::string name = "date", flag = "-d", value = text, format = "+%s";
  const std::array<char*, 5> arguments{name.data(), flag.data(), value.data(), format.data(),
                                       nullptr};
  const int status =
      posix_spawn(&child, kDateProgram, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

// Runs a program that reads `input`.
bool spawn_reading(std::vector<std::string> words, int input, int not_its, pid_t& child) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addclose(&actions, input);
  posix_spawn_file_actions_addclose(&actions, not_its);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigdefault(&attributes, &all);  // we ignore SIGPIPE, it does not
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int status =
      posix_spawnp(&child, words[0].c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 512> piece{};
  for (;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < 4096) text.append(piece.data(), static_cast<size_t>(got));
  }
}

Result<std::unique_ptr<TextSink>> open_text(const std::string& path, const char* mode) {
  File file(std::fopen(path.c_str(), mode), std::fclose);
  if (file == nullptr) return errno_error("cannot create", path);
  return std::make_unique<FileSink>(std::move(file));
}

class PosixSystem final : public System {
 public:
  std::optional<uint32_t> user_id(const std::string& name) override {
    const passwd* entry = getpwnam(name.c_str());
    return entry == nullptr ? std::nullopt : std::optional<uint32_t>(entry->pw_uid);
  }
  std::optional<uint32_t> group_id(const std::string& name) override {
    const group* entry = getgrnam(name.c_str());
    return entry == nullptr ? std::nullopt : std::optional<uint32_t>(entry->gr_gid);
  }
  std::optional<std::string> user_name(uint32_t id) override {
    const passwd* entry = getpwuid(id);
    return entry == nullptr ? std::nullopt : std::optional<std::string>(entry->pw_name);
  }
  std::optional<std::string> group_name(uint32_t id) override {
    const group* entry = getgrgid(id);
    return entry == nullptr ? std::nullopt : std::optional<std::string>(entry->gr_name);
  }

  unsigned processors() override {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
      return static_cast<unsigned>(CPU_COUNT(&set));
    }
    // More processors than the set has room for.
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? static_cast<unsigned>(online) : 1;
  }

  uint64_t physical_memory() override {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return uint64_t{1} << 30;
    return static_cast<uint64_t>(pages) * static_cast<uint64_t>(size);
  }

  unsigned terminal_columns() override {
    winsize size{};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : kDefaultColumns;
  }

  Result<std::string> date_seconds(const std::string& text) override {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return errno_error("cannot run", kDateProgram);
    pid_t child = 0;
    const bool is_running = spawn_date(text, ends[0], ends[1], child);
    close(ends[1]);
    std::string output = is_running ? read_all(ends[0]) : std::string();
    close(ends[0]);
    int status = -1;
    if (is_running) {
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
      }
    }
    if (status != 0) return usage_error("date(1) does not understand \"" + printable(text) + "\"");
    while (output.ends_with('\n')) output.pop_back();
    return output;
  }

  Result<std::string> read_text(const std::string& path) override {
    const File file(std::fopen(path.c_str(), "re"), std::fclose);
    if (file == nullptr) return errno_error("Failed to open", path);
    std::string text;
    std::array<char, 4096> piece{};
    while (const size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
      text.append(piece.data(), got);
    }
    if (std::ferror(file.get()) != 0) return errno_error("Failed to read", path);
    return text;
  }

  Status read_stream(const std::string& path, const std::function<Status(Bytes)>& take) override {
    const File file(std::fopen(path.c_str(), "re"), std::fclose);
    if (file == nullptr) return errno_error("Failed to open", path);
    Buffer piece(kStreamPiece);
    while (const size_t got = std::fread(piece.data(), 1, piece.size(), file.get())) {
      SQFS_CHECKED(take(Bytes(piece).first(got)));
    }
    if (std::ferror(file.get()) != 0) return errno_error("Failed to read", path);
    return ok();
  }

  Result<std::unique_ptr<TextSink>> create_text(const std::string& path) override {
    return open_text(path, "wxe");
  }

  Result<std::unique_ptr<TextSink>> replace_text(const std::string& path) override {
    return open_text(path, "we");
  }

  bool show_with(const std::vector<std::string>& words, std::string_view text) override {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return false;
    pid_t child = 0;
    const bool is_running = spawn_reading(words, ends[0], ends[1], child);
    close(ends[0]);
    while (is_running && !text.empty()) {
      const ssize_t put = ::write(ends[1], text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) break;  // the reader has seen enough
      text.remove_prefix(static_cast<size_t>(put));
    }
    close(ends[1]);
    int status = 0;
    while (is_running && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return is_running;
  }

  // Blocked, not handled: a blocked signal stays pending until interrupted() takes it, so there is
  // no handler and no global flag. Threads started later inherit the mask.
  void note_signals() override {
    sigemptyset(&ending_);
    for (const int number : kEndingSignals) {
      // nohup(1) has SIGHUP ignored, and means it. An ignored SIGINT means nothing: a shell without
      // job control starts every background command that way.
      struct sigaction inherited {};
      const bool is_known = sigaction(number, nullptr, &inherited) == 0;
      if (number == SIGHUP && is_known && inherited.sa_handler == SIG_IGN) continue;
      sigaddset(&ending_, number);
    }
    sigemptyset(&asking_);
    sigaddset(&asking_, SIGQUIT);
    is_noting_ = pthread_sigmask(SIG_BLOCK, &ending_, nullptr) == 0 &&
                 pthread_sigmask(SIG_BLOCK, &asking_, nullptr) == 0;
  }

  bool interrupted() override {
    if (!is_noting_ || is_interrupted_) return is_interrupted_;
    const timespec now{0, 0};
    is_interrupted_ = sigtimedwait(&ending_, nullptr, &now) > 0;
    return is_interrupted_;
  }

  bool was_asked_for_place() override {
    const timespec now{0, 0};
    return is_noting_ && sigtimedwait(&asking_, nullptr, &now) > 0;
  }

 private:
  sigset_t ending_{}, asking_{};
  bool is_noting_ = false, is_interrupted_ = false;
};

}  // namespace

std::unique_ptr<System> make_posix_system() { return std::make_unique<PosixSystem>(); }

std::unique_ptr<TextSink> make_descriptor_sink(int descriptor) {
  return std::make_unique<DescriptorSink>(descriptor);
}

}  // namespace sqfs
