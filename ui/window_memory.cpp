#include "ui/window_memory.h"

#include "render/colour_map.h"
#include "ui/panels/display_panel.h"
#include "ui/text.h"

#include <QMainWindow>
#include <QSettings>

#include <algorithm>

namespace ondo {

namespace {

constexpr int kLayoutVersion = 2;

QString firstMap(ColourMapUse use)
{
    return fromEngine(colourMaps(use).front().name);
}

} // namespace

ViewSettings rememberedView()
{
    const QSettings settings;
    ViewSettings view;
    const auto number = [&](const char* key, double usual, double low, double high) {
        return std::clamp(settings.value(QLatin1String(key), usual).toDouble(), low, high);
    };
    view.fieldMap = settings.value(QStringLiteral("view/fieldMap"), firstMap(ColourMapUse::Field)).toString();
    view.modelMap = settings.value(QStringLiteral("view/modelMap"), firstMap(ColourMapUse::Model)).toString();
    view.blend = number("view/blend", view.blend, 0.0, 1.0);
    view.percentile = number("view/percentile", view.percentile, 50.0, 100.0);
    view.gatherPercentile = number("view/gatherPercentile", view.gatherPercentile, 50.0, 100.0);
    view.gatherMode = static_cast<GatherMode>(static_cast<int>(number("view/gatherMode", 0.0, 0.0, 2.0)));
    view.move = static_cast<MoveMeaning>(static_cast<int>(number("view/move", 0.0, 0.0, 1.0)));
    view.watchSeconds = number("view/watchSeconds", view.watchSeconds, 0.0, 1000.0);
    view.showProbe = settings.value(QStringLiteral("view/probe"), true).toBool();
    const auto stop =
        static_cast<std::size_t>(number("view/rate", 2.0, 0.0, static_cast<double>(rateStops().size() - 1)));
    view.rate = rateStops()[stop].rate;
    return view;
}

void rememberView(const ViewSettings& view)
{
    QSettings settings;
    settings.setValue(QStringLiteral("view/fieldMap"), view.fieldMap);
    settings.setValue(QStringLiteral("view/modelMap"), view.modelMap);
    settings.setValue(QStringLiteral("view/blend"), view.blend);
    settings.setValue(QStringLiteral("view/percentile"), view.percentile);
    settings.setValue(QStringLiteral("view/gatherPercentile"), view.gatherPercentile);
    settings.setValue(QStringLiteral("view/gatherMode"), static_cast<int>(view.gatherMode));
    settings.setValue(QStringLiteral("view/move"), static_cast<int>(view.move));
    settings.setValue(QStringLiteral("view/probe"), view.showProbe);
    settings.setValue(QStringLiteral("view/watchSeconds"), view.watchSeconds);
    settings.setValue(QStringLiteral("view/rate"), rateStopOf(view.rate));
}

ThemeKind rememberedTheme()
{
    return QSettings().value(QStringLiteral("theme")).toString() == QLatin1String("light") ? ThemeKind::Light
                                                                                           : ThemeKind::Dark;
}

void rememberTheme(ThemeKind kind)
{
    QSettings().setValue(QStringLiteral("theme"),
                         kind == ThemeKind::Light ? QStringLiteral("light") : QStringLiteral("dark"));
}

bool restoreLayout(QMainWindow& window)
{
    const QSettings settings;
    window.restoreGeometry(settings.value(QStringLiteral("window/geometry")).toByteArray());
    return window.restoreState(settings.value(QStringLiteral("window/state")).toByteArray(), kLayoutVersion);
}

void rememberLayout(const QMainWindow& window)
{
    QSettings settings;
    settings.setValue(QStringLiteral("window/geometry"), window.saveGeometry());
    settings.setValue(QStringLiteral("window/state"), window.saveState(kLayoutVersion));
}

} // namespace ondo
