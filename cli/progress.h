// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/io.h"

// Shows how far a build has come.
namespace sqfs {

enum class ProgressStyle : uint8_t {
  kNone,
  kBar,         // a line that is drawn over and over, for terminals
  kLines,       // a line for each ten percent, for logs
  kPercentage,  // bare numbers, one a line, for programs
};

class Progress {
 public:
  // Borrows both for its life.
  Progress(ProgressStyle style, System& system, TextSink& out)
      : style_(style), system_(system), out_(out) {}

  void update(uint64_t done, uint64_t total);
  // The work is complete: shows that, and ends the line.
  void finish();
  // Something else is about to be printed: ends the bar's line. It is drawn again at the next
  // update.
  void make_room();

 private:
  void draw_bar();
  void print_percent(unsigned percent);

  const ProgressStyle style_;
  System& system_;
  TextSink& out_;
  uint64_t done_ = 0, total_ = 0;
  unsigned spinner_ = 0;
  int last_percent_ = -1;
  bool is_drawn_ = false;  // the cursor stands behind a bar
  std::chrono::steady_clock::time_point next_draw_{};
};

// The bar without the carriage return in front, for a terminal of `columns`.
std::string progress_bar(uint64_t done, uint64_t total, unsigned columns, char spinner);

}  // namespace sqfs
