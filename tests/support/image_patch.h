// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tests/support/image_builder.h"

// Recipes of bad images: a base image, what is done to it, and the problems a verifier must find.
// A .recipe file holds many; "#" starts a comment, a blank line changes nothing:
//
//   recipe NAME
//   base NAME                 the undamaged image (tests/support/base_images.cc)
//   compressor NAME           before it is built: another compressor in the superblock,
//   options HEX               its options block,
//   store LABEL INDEX HEX     a data block made elsewhere, compressed,
//   store-tails HEX           the first fragment block likewise,
//   sets COUNT REF PAIRS BYTES    entries of the xattr id table without pairs of their own,
//   type LABEL NUMBER         another type of inode,
//   gap COUNT                 so many zero bytes before the inode table,
//   fragment-gap COUNT        or behind the fragment table,
//   short-block TABLE SIZE    so many bytes in the first metadata block of dirs or exports,
//   no-padding                no bytes behind the image
//   set FIELD VALUE           when it is built; fields are named in tests/support/image_builder.h
//   add FIELD NUMBER
//   cut NUMBER                shortens the file to so many bytes
//   append COUNT NUMBER       so many bytes of this value
//   expect PROBLEM [PATH]     in any order; these and no others, if PATH is given also there
//
// FIELD may end in +NUMBER, and is then so many bytes behind the place. VALUE is a number, a place
// (@FIELD), a "text" or x:HEX; NUMBER may be a place as well. offset:FIELD is the distance of a
// place from the start of the inode table's first block, as references have it.
namespace sqfs {

struct RecipeExpectation {
  std::string problem;  // kebab_name()
  std::string path;     // empty: anywhere
};

struct Recipe {
  std::string name;  // "group/name"
  std::string base;
  std::vector<std::vector<std::string>> steps;  // words
  std::vector<RecipeExpectation> expected;
};

// Errors name the line.
Result<std::vector<Recipe>> parse_recipes(std::string_view text, const std::string& group);

// Builds the base and carries out the steps.
Result<Buffer> make_bad_image(const Recipe& recipe);

}  // namespace sqfs
