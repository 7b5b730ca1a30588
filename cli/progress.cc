// SPDX-License-Identifier: MIT
#include "cli/progress.h"

#include <algorithm>
#include <string_view>

namespace sqfs {
namespace {

constexpr std::chrono::milliseconds kInterval{250};
constexpr std::string_view kSpinner = "|/-\\";
// "[", the spinner, "] ", "/", " ", "100%" and a column that stays free.
constexpr size_t kFixedWidth = 11;

unsigned percent_of(uint64_t done, uint64_t total) {
  if (total == 0 || done >= total) return 100;
  return static_cast<unsigned>(static_cast<double>(done) * 100 / static_cast<double>(total));
}

}  // namespace

std::string progress_bar(uint64_t done, uint64_t total, unsigned columns, char spinner) {
  const std::string last = std::to_string(total);
  std::string now = std::to_string(done);
  now.insert(0, last.size() - std::min(now.size(), last.size()), ' ');
  const size_t used = 2 * last.size() + kFixedWidth;
  const size_t room = columns > used ? columns - used : 0;
  const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  const size_t filled = std::min(room, static_cast<size_t>(share * static_cast<double>(room)));
  return "[" + std::string(filled, '=') + spinner + std::string(room - filled, ' ') + "] " + now +
         "/" + last + " " + std::to_string(percent_of(done, total)) + "%";
}

void Progress::update(uint64_t done, uint64_t total) {
  done_ = done;
  total_ = total;
  if (style_ == ProgressStyle::kBar) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_draw_) return;
    next_draw_ = now + kInterval;
    draw_bar();
  } else if (style_ != ProgressStyle::kNone && total > 0 && done < total) {
    print_percent(percent_of(done, total));
  }
}

void Progress::finish() {
  switch (style_) {
    case ProgressStyle::kNone: return;
    case ProgressStyle::kBar:
      draw_bar();
      make_room();
      return;
    case ProgressStyle::kLines: print_percent(100); return;
    case ProgressStyle::kPercentage: print_percent(100); out_.write("\n");
  }
}

void Progress::make_room() {
  if (is_drawn_) out_.write("\n");
  is_drawn_ = false;
}

void Progress::draw_bar() {
  const char spinner = kSpinner[spinner_++ % kSpinner.size()];
  out_.write("\r" + progress_bar(done_, total_, system_.terminal_columns(), spinner));
  is_drawn_ = true;
}

void Progress::print_percent(unsigned percent) {
  const unsigned step = style_ == ProgressStyle::kLines ? 10 : 1;
  const int rounded = static_cast<int>(percent / step * step);
  if (rounded <= last_percent_) return;
  last_percent_ = rounded;
  out_.write(std::to_string(rounded) + (style_ == ProgressStyle::kLines ? "% done\n" : "\n"));
}

}  // namespace sqfs
