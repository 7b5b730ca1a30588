// SPDX-License-Identifier: MIT
// Walks the problem catalogue and the recipes of bad images: each row has a recipe, each recipe
// makes the verifier find what it says, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/base_images.h"
#include "tests/support/image_patch.h"
#include "tests/support/problem_table.h"
#include "tests/support/verify_run.h"

namespace sqfs {
namespace {

std::filesystem::path source_root() {
  const char* root = std::getenv("SQUASHKIT_SOURCE");
  return root != nullptr ? root : ".";
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Recipe> read_recipes() {
  std::vector<std::filesystem::path> files;
  const auto folder = source_root() / "tests/recipes/bad";
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".recipe") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Recipe> all;
  for (const auto& file : files) {
    auto recipes = parse_recipes(read_file(file), file.stem().string());
    if (!recipes) {
      ADD_FAILURE() << recipes.error().what;
      continue;
    }
    std::move(recipes->begin(), recipes->end(), std::back_inserter(all));
  }
  return all;
}

std::set<std::string> names_of(const std::vector<Finding>& findings) {
  std::set<std::string> names;
  for (const Finding& finding : findings) names.insert(kebab_name(finding.problem));
  return names;
}

class BaseImage : public testing::TestWithParam<std::string_view> {};

TEST_P(BaseImage, HasNothingToReport) {
  const TestImage image = build_test_image(*base_image(GetParam()));
  const VerifyRun run = run_verifier(image.bytes);
  ASSERT_TRUE(run.verdict) << run.verdict.error().what;
  EXPECT_EQ(describe(run.findings), "");
  EXPECT_TRUE(run.verdict->is_clean());
}

INSTANTIATE_TEST_SUITE_P(All, BaseImage, testing::ValuesIn(base_image_names()),
                         [](const auto& test) {
                           std::string name(test.param);
                           std::erase(name, '-');
                           return name;
                         });

class BadImage : public testing::TestWithParam<Recipe> {};

TEST_P(BadImage, IsFoundOutAndNothingElseIsReported) {
  const Recipe& recipe = GetParam();
  const auto image = make_bad_image(recipe);
  ASSERT_TRUE(image) << image.error().what;
  const VerifyRun run = run_verifier(*image);
  ASSERT_TRUE(run.verdict) << run.verdict.error().what;
  std::set<std::string> expected;
  for (const RecipeExpectation& expectation : recipe.expected) {
    expected.insert(expectation.problem);
    const auto matches = [&](const Finding& finding) {
      return kebab_name(finding.problem) == expectation.problem &&
             (expectation.path.empty() || finding.path == expectation.path);
    };
    EXPECT_TRUE(std::any_of(run.findings.begin(), run.findings.end(), matches))
        << expectation.problem << " " << expectation.path << " is not in\n"
        << describe(run.findings);
  }
  EXPECT_EQ(names_of(run.findings), expected) << describe(run.findings);
}

TEST_P(BadImage, IsJudgedAlikeWithThreads) {
  const auto image = make_bad_image(GetParam());
  ASSERT_TRUE(image) << image.error().what;
  VerifyOptions options;
  options.threads = 2;
  EXPECT_EQ(describe(run_verifier(*image).findings),
            describe(run_verifier(*image, options).findings));
}

INSTANTIATE_TEST_SUITE_P(All, BadImage, testing::ValuesIn(read_recipes()), [](const auto& test) {
  std::string name = test.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
});

TEST(ProblemCatalogue, EachRowHasARecipe) {
  std::set<std::string> covered;
  for (const Recipe& recipe : read_recipes()) {
    for (const RecipeExpectation& expectation : recipe.expected)
      covered.insert(expectation.problem);
  }
  for (const ProblemInfo& row : problem_catalogue()) {
    EXPECT_TRUE(covered.contains(kebab_name(row.id))) << kebab_name(row.id);
  }
}

TEST(ProblemCatalogue, RecipesNameRowsOnly) {
  std::set<std::string> rows;
  for (const ProblemInfo& row : problem_catalogue()) rows.insert(kebab_name(row.id));
  for (const Recipe& recipe : read_recipes()) {
    for (const RecipeExpectation& expectation : recipe.expected) {
      EXPECT_TRUE(rows.contains(expectation.problem)) << recipe.name << " " << expectation.problem;
    }
  }
}

TEST(ProblemCatalogue, TheDocumentIsCurrent) {
  const auto path = source_root() / "docs/PROBLEMS.md";
  const std::string wanted = render_problem_table();
  if (std::getenv("UPDATE_DOCS") != nullptr) {
    std::ofstream(path, std::ios::binary) << wanted;
  }
  EXPECT_EQ(read_file(path), wanted) << "run this test with UPDATE_DOCS=1";
}

}  // namespace
}  // namespace sqfs
