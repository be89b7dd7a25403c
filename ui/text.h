// Qt types stop here: the engine speaks std::string. And numbers as a person reads them, each with its unit.
#pragma once

#include "engine/core/error.h"
#include "ui/notice.h"

#include <QString>

#include <string>
#include <string_view>

namespace ondo {

[[nodiscard]] inline QString fromEngine(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
[[nodiscard]] inline std::string toEngine(const QString& text)
{
    return text.toStdString();
}

[[nodiscard]] Notice noticeOf(const Error& error);

[[nodiscard]] QString bytesText(std::size_t bytes);          // "1.2 GB"
[[nodiscard]] QString secondsText(double seconds);           // wall clock: "4 s", "2 min 10 s", "3 h 05 min"
[[nodiscard]] QString rateText(double perSecond);            // "4.1 k"
[[nodiscard]] QString significant(double value, int digits); // "0.0123", "1540", "1.2e-7"
[[nodiscard]] QString pressureText(double pascals);          // "12.3 µPa"
[[nodiscard]] QString lengthText(double metres);             // "850 m", "8.50 km"

[[nodiscard]] QString unitText(std::string_view unit); // "Pa² s" of "Pa^2 s"

// Least 1-2-5 step that is >= rough.
[[nodiscard]] double niceStep(double rough);

} // namespace ondo
