#include "ui/text.h"

#include "render/ticks.h"

#include <QCoreApplication>

#include <array>
#include <cmath>

namespace ondo {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("Text", text);
}

} // namespace

Notice noticeOf(const Error& error)
{
    QString text;
    for (const std::string& line : error.context) {
        text += fromEngine(line) + QStringLiteral(": ");
    }
    text += fromEngine(error.what);
    return {NoticeKind::Refused, text, fromEngine(error.remedy)};
}

QString unitText(std::string_view unit)
{
    return fromEngine(unit).replace(QStringLiteral("^2"), QStringLiteral("²"));
}

QString significant(double value, int digits)
{
    if (value == 0.0) {
        return QStringLiteral("0");
    }
    const double size = std::abs(value);
    if (!std::isfinite(value)) {
        return tr("not a number");
    }
    if (size >= 1e6 || size < 1e-4) {
        return QString::number(value, 'e', digits - 1);
    }
    const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
    return QString::number(value, 'f', decimals);
}

QString bytesText(std::size_t bytes)
{
    static constexpr std::array<const char*, 5> kUnits = {"B", "kB", "MB", "GB", "TB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000.0;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : 1;
    return QStringLiteral("%1 %2").arg(QString::number(value, 'f', decimals), QLatin1String(kUnits[unit]));
}

QString secondsText(double seconds)
{
    if (!(seconds >= 0.0)) {
        return QStringLiteral("–");
    }
    if (seconds < 9.95) {
        return tr("%1 s").arg(seconds, 0, 'f', 1);
    }
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60) {
        return tr("%1 s").arg(whole);
    }
    if (whole < 3600) {
        return tr("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    }
    return tr("%1 h %2 min").arg(whole / 3600).arg(whole % 3600 / 60, 2, 10, QLatin1Char('0'));
}

QString rateText(double perSecond)
{
    if (perSecond >= 9995.0) {
        return tr("%1 k").arg(perSecond / 1000.0, 0, 'f', 1);
    }
    return QString::number(perSecond, 'f', perSecond < 9.95 ? 1 : 0);
}

QString pressureText(double pascals)
{
    if (pascals == 0.0 || !std::isfinite(pascals)) {
        return QStringLiteral("0 Pa");
    }
    const PressureUnit unit = pressureUnitFor(std::abs(pascals));
    return QStringLiteral("%1 %2").arg(significant(pascals / unit.pascals, 3), fromEngine(unit.name));
}

QString lengthText(double metres)
{
    if (std::abs(metres) >= 1000.0) {
        return QStringLiteral("%1 km").arg(metres / 1000.0, 0, 'f', 2);
    }
    return QStringLiteral("%1 m").arg(significant(metres, 4));
}

double niceStep(double rough)
{
    if (!(rough > 0.0) || !std::isfinite(rough)) {
        return 1.0;
    }
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough * 0.999999) {
            return factor * power;
        }
    }
    return 10.0 * power;
}

} // namespace ondo
