#include "app/desktop/options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QRegularExpression>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ondo {

namespace {

constexpr double kLongestSeconds = 86400.0; // of a screenshot's wait or a measurement: a day
constexpr double kMostSteps = 5e8;          // a wavelet has a sample a step

QString tr(const char* text)
{
    return QCoreApplication::translate("Options", text);
}

[[noreturn]] void refuse(const QString& what)
{
    std::fprintf(stderr, "ondoscope: %s\n", qUtf8Printable(what));
    std::exit(2);
}

double number(const QCommandLineParser& parser, const char* name, double least, double most)
{
    bool good = false;
    const double value = parser.value(QLatin1String(name)).toDouble(&good);
    if (!good || !(value >= least && value <= most)) { // not a number is neither
        refuse(tr("--%1 is a number from %2 to %3, not \"%4\"")
                   .arg(QLatin1String(name), QString::number(least), QString::number(most),
                        parser.value(QLatin1String(name))));
    }
    return value;
}

void demand(const QString& value, const char* name, const QStringList& known)
{
    if (!known.contains(value)) {
        refuse(tr("--%1 is %2, not \"%3\"").arg(QLatin1String(name), known.join(QStringLiteral(" or ")), value));
    }
}

QSize sizeOf(const QString& text)
{
    static const QRegularExpression kSize(QStringLiteral("^([0-9]{3,5})x([0-9]{3,5})$"));
    const auto match = kSize.match(text);
    if (!match.hasMatch()) {
        refuse(tr("--size is WIDTHxHEIGHT in pixels, for example 1600x1000, not \"%1\"").arg(text));
    }
    return {match.captured(1).toInt(), match.captured(2).toInt()};
}

// "300", "300^2" or "128^3". Not larger than what may fit a machine.
void readGrid(const QString& text, DesktopOptions& options)
{
    static const QRegularExpression kGrid(QStringLiteral("^([0-9]{1,5})(?:\\^([23]))?$"));
    const auto match = kGrid.match(text);
    options.rank = match.captured(2) == QLatin1String("3") ? 3 : 2;
    options.grid = match.captured(1).toInt();
    const int most = options.rank == 3 ? 2048 : 32768;
    if (!match.hasMatch() || options.grid < 16 || options.grid > most) {
        refuse(tr("--grid is a number from 16 to 32768, or with ^3 behind it from 16 to 2048, not \"%1\"").arg(text));
    }
}

void readMeasurement(const QCommandLineParser& parser, DesktopOptions& options)
{
    options.measure = number(parser, "measure", 0.0, kLongestSeconds);
    options.measureSteps = static_cast<std::int64_t>(number(parser, "measure-steps", 0.0, kMostSteps));
    if (options.measure > 0.0 && options.measureSteps > 0) {
        refuse(tr("--measure and --measure-steps are two ways to measure; give one of them"));
    }
    options.views = number(parser, "views", 0.0, 1000.0);
    readGrid(parser.value(QStringLiteral("grid")), options);
}

} // namespace

void keepDisplayOption(int argc, char** argv)
{
    static char renamed[] = "--pictures";
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--display") == 0) {
            argv[i] = renamed;
        }
    }
}

DesktopOptions readOptions(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(tr("Seismic waves, computed and seen live."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(
        QStringLiteral("file"),
        tr("A velocity model (.mat .npy .sgy .rsf ...), a run file (.toml) or an inversion (.h5), which is watched."),
        QStringLiteral("[file]"));
    parser.addOptions({
        {QStringLiteral("run"), tr("Start the shot at once.")},
        {QStringLiteral("device"), tr("cpu, cuda:0 ... or auto."), QStringLiteral("id")},
        {{QStringLiteral("pictures"), QStringLiteral("display")},
         tr("How pictures reach the screen: auto, direct, host or none."),
         QStringLiteral("way"),
         QStringLiteral("auto")},
        {QStringLiteral("theme"), tr("light or dark."), QStringLiteral("name")},
        {QStringLiteral("size"), tr("Size of the window, for example 1600x1000."), QStringLiteral("WxH")},
        {QStringLiteral("fresh"), tr("Without the remembered layout and settings.")},
        {QStringLiteral("screenshot"), tr("Write a picture of the window and leave."), QStringLiteral("file")},
        {QStringLiteral("after"), tr("Seconds until the screenshot."), QStringLiteral("seconds"), QStringLiteral("3")},
        {QStringLiteral("measure"),
         tr("Run for so long and print one line of JSON: rates, GL time, bytes to the host."),
         QStringLiteral("seconds"), QStringLiteral("0")},
        {QStringLiteral("measure-steps"),
         tr("Run so many steps and print the same of the whole of them, and a hash of their traces."),
         QStringLiteral("count"), QStringLiteral("0")},
        {QStringLiteral("views"), tr("Views a second at most while measuring."), QStringLiteral("rate"),
         QStringLiteral("30")},
        {QStringLiteral("first-wave"),
         tr("Run and print, as one line of JSON, when the first wave was on the screen.")},
        {QStringLiteral("show"),
         tr("With --screenshot: do this action, or open this menu, first and take the whole screen."),
         QStringLiteral("action")},
        {QStringLiteral("grid"), tr("Nodes an axis of the model that is measured, if no file is given: N or N^2, N^3."),
         QStringLiteral("nodes"), QStringLiteral("2048")},
    });
    if (!parser.parse(arguments)) {
        refuse(parser.errorText() + tr("; see ondoscope --help"));
    }
    if (parser.isSet(QStringLiteral("help"))) {
        parser.showHelp(0);
    }
    if (parser.isSet(QStringLiteral("version"))) {
        parser.showVersion();
    }
    DesktopOptions options;
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1) {
        refuse(tr("one file at a time, not %1").arg(files.size()));
    }
    options.path = files.value(0);
    options.run = parser.isSet(QStringLiteral("run"));
    options.device = parser.value(QStringLiteral("device"));
    options.display = parser.value(QStringLiteral("display"));
    demand(options.display, "display",
           {QStringLiteral("auto"), QStringLiteral("direct"), QStringLiteral("host"), QStringLiteral("none")});
    options.theme = parser.value(QStringLiteral("theme"));
    if (parser.isSet(QStringLiteral("theme"))) {
        demand(options.theme, "theme", {QStringLiteral("light"), QStringLiteral("dark")});
    }
    if (parser.isSet(QStringLiteral("size"))) {
        options.size = sizeOf(parser.value(QStringLiteral("size")));
    }
    options.fresh = parser.isSet(QStringLiteral("fresh"));
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    options.after = number(parser, "after", 0.0, kLongestSeconds);
    readMeasurement(parser, options);
    options.firstWave = parser.isSet(QStringLiteral("first-wave"));
    options.show = parser.value(QStringLiteral("show"));
    return options;
}

} // namespace ondo
