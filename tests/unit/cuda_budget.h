// What ptxas says of the kernels of a build, and the table of what they may use (kernels/cuda/budget.txt).
#pragma once

#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

struct KernelUse {
    int compiled = 0; // times
    int registers = 0;
    int stack = 0;
    int spilled = 0; // bytes, stores and loads
    int shared = 0;  // bytes, static
};

// By architecture (90 for sm_90), then by mangled name.
using KernelUses = std::map<int, std::map<std::string, KernelUse>>;

// Adds what `ptxas -v` said while one object was compiled.
void readPtxas(std::string_view text, KernelUses& uses);

[[nodiscard]] std::string demangled(const std::string& name);
// As the table's patterns see it: "stepKernel<ScalarInteriorStep<float, 2, 4>, Tile<32, 1, 4, 0> >".
[[nodiscard]] std::string shortName(const std::string& name);

struct BudgetRow {
    int registers = 0, spilled = 0, shared = 0;
    std::string text; // of the pattern
    std::regex pattern;
};

struct Budget {
    std::vector<BudgetRow> rows;
    double moduleMegabytes = 0.0;
    std::vector<std::string> architectures; // "90", "120+" with PTX
    // The same without the objects that hold a kernel of the pattern; 0: not said.
    double partMegabytes = 0.0;
    std::regex partWithout;

    [[nodiscard]] const BudgetRow* rowOf(const std::string& shortName) const;
};

// A fault of the table itself goes to `fault`, with its line.
[[nodiscard]] Budget readBudget(std::string_view text, std::string& fault);

// One line each: kernels that no row knows, with the row to add, and those that use more than theirs.
[[nodiscard]] std::vector<std::string> budgetFaults(const Budget& budget, const KernelUses& uses);
// The table with what is used, for a person.
[[nodiscard]] std::string budgetText(const Budget& budget, const KernelUses& uses);

// Of what the module takes, in bytes: all of it, and the packed images by architecture ("90", "120+").
struct ModuleSize {
    std::size_t whole = 0;
    std::map<std::string, std::size_t> images;

    // With as much for each architecture of the budget that this build has not as the largest that it has; PTX as PTX if there
    // is any, else as half an image of machine code.
    [[nodiscard]] double projectedMegabytes(const Budget& budget) const;
    [[nodiscard]] bool isOf(const Budget& budget) const; // the very architectures of the budget
};
