// The command line: parses, dispatches, turns whatever goes wrong into one line and an exit code.
#include "app/cli/commands.h"
#include "app/cli/terminal.h"

#include "engine/core/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

namespace ondo::cli {

namespace {

void addCommands(CLI::App& app, Command& run)
{
    app.set_version_flag("--version", "ondo " ONDO_VERSION);
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.require_subcommand(1);
    app.footer("ondo COMMAND --help tells more about a command; the manual page is ondo(1).\n"
               "Exit codes: 0 done, 2 bad input, 3 the run failed, 130 stopped by Ctrl-C, 1 from bench --gate.");
    addRunCommand(app, run);
    addGradientCommand(app, run);
    addInvertCommand(app, run);
    addMigrateCommand(app, run);
    addInfoCommand(app, run);
    addCheckCommand(app, run);
    addConvertCommand(app, run);
    addSelftestCommand(app, run);
    addBenchCommand(app, run);
    addCalibrateCommand(app, run);
    // After the commands, which would inherit it.
    app.set_help_all_flag("--help-all", "Print the help of every command and exit");
}

std::vector<std::string> namesOf(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

std::vector<std::string> optionsOf(const CLI::App& app)
{
    std::vector<std::string> names;
    for (const auto* option : app.get_options()) {
        for (const auto& name : option->get_lnames()) {
            names.push_back("--" + name);
        }
    }
    return names;
}

// The first word on the command line that is no option: the command, or what stands in its place.
std::string commandWord(int argc, const char* const* argv)
{
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] != '-') {
            return argv[i];
        }
    }
    return {};
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known)
{
    const std::string near = nearestWord(word, known);
    return near.empty() ? "ondo --help lists what there is" : fmt::format("did you mean {}?", near);
}

int refuse(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv)
{
    const std::string word = commandWord(argc, argv);
    const auto commands = namesOf(app);
    const bool known = std::find(commands.begin(), commands.end(), word) != commands.end();
    if (word.empty()) {
        const auto left = app.remaining(true);
        return left.empty()
                   ? complain(kBadInput, "no command was given; one of " + fmt::format("{}", fmt::join(commands, ", ")))
                   : complain(kBadInput,
                              fmt::format("unknown option {}; {}", left[0], suggestion(left[0], optionsOf(app))));
    }
    if (!known) {
        return complain(kBadInput, fmt::format("unknown command {}; {}", word, suggestion(word, commands)));
    }
    const CLI::App* command = app.get_subcommand(word);
    for (const auto& left : app.remaining(true)) {
        const std::string name = left.substr(0, left.find('='));
        if (name.starts_with("-")) {
            return complain(
                kBadInput, fmt::format("{}: unknown option {}; {}", word, name, suggestion(name, optionsOf(*command))));
        }
        return complain(kBadInput, fmt::format("{}: {} is one argument too many; ondo {} --help tells what it takes",
                                               word, left, word));
    }
    return complain(kBadInput, fmt::format("{}: {}; ondo {} --help tells more", word, error.what(), word));
}

int guardedMain(int argc, const char* const* argv)
{
    CLI::App app("Ondoscope on the command line: seismic waves computed on a GPU or the CPU", "ondo");
    Command run;
    addCommands(app, run);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        return refuse(app, error, argc, argv);
    }
    return run();
}

} // namespace

} // namespace ondo::cli

int main(int argc, char** argv)
{
    using namespace ondo::cli;
    try {
        return guardedMain(argc, argv);
    } catch (const std::bad_alloc&) {
        return complain(kFailed, "the machine's memory is used up; use a coarser grid or fewer receivers");
    } catch (const std::exception& error) {
        return complain(kFailed, fmt::format("internal error: {}; please report it", error.what()));
    }
}
