#include "cuda_budget.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace {

// The text between two marks; empty if they are not there.
std::string_view between(std::string_view line, std::string_view from, std::string_view to)
{
    const std::size_t begin = line.find(from);
    if (begin == std::string_view::npos) {
        return {};
    }
    const std::size_t start = begin + from.size();
    const std::size_t end = to.empty() ? line.size() : line.find(to, start);
    return end == std::string_view::npos ? std::string_view() : line.substr(start, end - start);
}

// The number that stands before a word: 48 of "Used 48 registers" for " registers". -1: no such word.
int numberBefore(std::string_view line, std::string_view word)
{
    const std::size_t end = line.find(word);
    if (end == std::string_view::npos || end == 0) {
        return -1;
    }
    const std::size_t before = line.find_last_not_of("0123456789", end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return begin == end ? -1 : std::atoi(std::string(line.substr(begin, end - begin)).c_str());
}

template<class... Arguments>
std::string printed(const char* format, Arguments... arguments)
{
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, format, arguments...);
    return buffer;
}

// A pattern for a kernel's family: its name up to the first number of its template.
std::string suggestedPattern(const std::string& name)
{
    std::string pattern = "^";
    for (const char c : name.substr(0, name.find_first_of("0123456789"))) {
        pattern += std::string(std::string_view("()[]{}.*+?|^$\\").find(c) == std::string_view::npos ? "" : "\\") + c;
    }
    return pattern;
}

int roundedUp(int registers)
{
    return (registers + 7) / 8 * 8; // as a GPU gives them out
}

} // namespace

void readPtxas(std::string_view text, KernelUses& uses)
{
    KernelUse* use = nullptr;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (const auto entry = between(line, "Compiling entry function '", "'"); !entry.empty()) {
            const int architecture = std::atoi(std::string(between(line, "for 'sm_", "'")).c_str());
            use = &uses[architecture][std::string(entry)];
            ++use->compiled;
        } else if (use == nullptr) {
            continue;
        } else if (const int stack = numberBefore(line, " bytes stack frame"); stack >= 0) {
            // Of the entry itself, or of a function that it calls and that was not inlined.
            use->stack = std::max(use->stack, stack);
            use->spilled += std::max(0, numberBefore(line, " bytes spill stores"));
            use->spilled += std::max(0, numberBefore(line, " bytes spill loads"));
        } else if (const int registers = numberBefore(line, " registers"); registers >= 0) {
            use->registers = registers;
            use->shared = std::max(0, numberBefore(line, " bytes smem"));
        }
    }
}

std::string demangled(const std::string& name)
{
    int status = 0;
    char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    std::string out = status == 0 ? text : name;
    std::free(text);
    return out;
}

std::string shortName(const std::string& name)
{
    std::string out = demangled(name);
    for (const std::string_view gone : {"(anonymous namespace)::", "ondo::kernels::", "cuda::", "void "}) {
        for (std::size_t at = out.find(gone); at != std::string::npos; at = out.find(gone, at)) {
            out.erase(at, gone.size());
        }
    }
    // "(Medium)1": a value of an enumeration, whose bracket is none of the arguments.
    static const std::regex kEnumeration("\\([A-Za-z]+\\)(?=[0-9])");
    out = std::regex_replace(out, kEnumeration, "");
    return out.substr(0, out.find('('));
}

const BudgetRow* Budget::rowOf(const std::string& shortName) const
{
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&](const BudgetRow& row) { return std::regex_search(shortName, row.pattern); });
    return found == rows.end() ? nullptr : &*found;
}

Budget readBudget(std::string_view text, std::string& fault)
{
    Budget budget;
    std::istringstream in{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line);
        std::string first;
        if (!(words >> first) || first[0] == '#') {
            continue;
        }
        if (first == "module") {
            words >> budget.moduleMegabytes;
            for (std::string architecture; words >> architecture;) {
                budget.architectures.push_back(architecture);
            }
            if (!(budget.moduleMegabytes > 0.0) || budget.architectures.empty()) {
                fault = printed("line %d: module MEGABYTES ARCHITECTURE... is wanted", number);
            }
            continue;
        }
        if (first == "without") {
            std::string pattern;
            if (!(words >> budget.partMegabytes) || !(budget.partMegabytes > 0.0) || !(words >> pattern)) {
                fault = printed("line %d: without MEGABYTES PATTERN is wanted", number);
                continue;
            }
            try {
                budget.partWithout = std::regex(pattern);
            } catch (const std::regex_error& error) {
                fault = printed("line %d: %s is no pattern: %s", number, pattern.c_str(), error.what());
            }
            continue;
        }
        BudgetRow row;
        words.clear();
        words.seekg(0);
        if (!(words >> row.registers >> row.spilled >> row.shared) || !std::getline(words >> std::ws, row.text)) {
            fault = printed("line %d: registers, spill, shared and a pattern are wanted", number);
            continue;
        }
        try {
            row.pattern = std::regex(row.text);
        } catch (const std::regex_error& error) {
            fault = printed("line %d: %s is no pattern: %s", number, row.text.c_str(), error.what());
            continue;
        }
        budget.rows.push_back(std::move(row));
    }
    return budget;
}

std::vector<std::string> budgetFaults(const Budget& budget, const KernelUses& uses)
{
    std::vector<std::string> faults;
    std::map<std::string, KernelUse> unknown; // by the row to add, the most of its kernels
    for (const auto& [architecture, kernels] : uses) {
        for (const auto& [mangled, use] : kernels) {
            const std::string name = shortName(mangled);
            const BudgetRow* row = budget.rowOf(name);
            if (row == nullptr) {
                KernelUse& most = unknown[suggestedPattern(name)];
                most.registers = std::max(most.registers, use.registers);
                most.shared = std::max(most.shared, use.shared);
                ++most.compiled;
                continue;
            }
            const auto over = [&](const char* what, int used, int allowed) {
                if (used > allowed) {
                    faults.push_back(printed("%s uses %d %s on sm_%d, its row \"%s\" allows %d", name.c_str(), used,
                                             what, architecture, row->text.c_str(), allowed));
                }
            };
            over("registers", use.registers, row->registers);
            over("bytes of spills", use.spilled, row->spilled);
            over("bytes of static shared memory", use.shared, row->shared);
        }
    }
    for (const auto& [pattern, most] : unknown) {
        faults.push_back(printed("kernels/cuda/budget.txt knows no row for %d kernels; add: %d  0  %d  %s",
                                 most.compiled, roundedUp(most.registers), most.shared, pattern.c_str()));
    }
    return faults;
}

std::string budgetText(const Budget& budget, const KernelUses& uses)
{
    std::string text = "registers  allowed  spill  shared  kernels  family, the most of any architecture\n";
    for (const BudgetRow& row : budget.rows) {
        KernelUse most;
        int where = 0;
        for (const auto& [architecture, kernels] : uses) {
            for (const auto& [mangled, use] : kernels) {
                if (budget.rowOf(shortName(mangled)) != &row) {
                    continue;
                }
                ++most.compiled;
                where = use.registers > most.registers ? architecture : where;
                most.registers = std::max(most.registers, use.registers);
                most.spilled = std::max(most.spilled, use.spilled);
                most.shared = std::max(most.shared, use.shared);
            }
        }
        text += most.compiled == 0
                    ? printed("%9s  %7d  %5s  %6s  %7d  %s\n", "-", row.registers, "-", "-", 0, row.text.c_str())
                    : printed("%9d  %7d  %5d  %6d  %7d  %s (sm_%d)\n", most.registers, row.registers, most.spilled,
                              most.shared, most.compiled, row.text.c_str(), where);
    }
    return text;
}

bool ModuleSize::isOf(const Budget& budget) const
{
    return images.size() == budget.architectures.size() &&
           std::all_of(budget.architectures.begin(), budget.architectures.end(),
                       [this](const std::string& a) { return images.count(a) == 1; });
}

double ModuleSize::projectedMegabytes(const Budget& budget) const
{
    std::size_t machine = 0;
    std::size_t ptx = 0;
    double rest = static_cast<double>(whole);
    for (const auto& [architecture, bytes] : images) {
        std::size_t& most = architecture.back() == '+' ? ptx : machine;
        most = std::max(most, bytes);
        rest -= static_cast<double>(bytes);
    }
    for (const std::string& architecture : budget.architectures) {
        const auto known = images.find(architecture);
        rest += known != images.end()        ? static_cast<double>(known->second)
                : architecture.back() != '+' ? static_cast<double>(machine)
                : ptx > 0                    ? static_cast<double>(ptx)
                                             : 0.5 * static_cast<double>(machine);
    }
    return rest / 1e6;
}
