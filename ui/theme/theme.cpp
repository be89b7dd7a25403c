#include "ui/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QProxyStyle>

#include <array>

// Resources of a static library must be asked for; the macro wants the global namespace.
static void useResources()
{
    Q_INIT_RESOURCE(ondoscope);
}

namespace ondo {

namespace {

struct Colours {
    const char* name;
    const char *window, *panel, *raised, *field, *border, *text, *dim, *selected;
    const char *accent, *accentHover, *accentDown, *onAccent;
    const char *knob, *knobEdge, *warning, *bad, *good, *plot;
};

constexpr Colours kDark = {"dark",    "#14171c", "#1a1e25", "#242a33", "#12151a", "#313945", "#e4e8ee",
                           "#8f9bab", "#24404a", "#45b8cc", "#5cc8da", "#35a0b3", "#08252b", "#dfe5ec",
                           "#0e1115", "#f0b35a", "#f0776c", "#6cc893", "#0f1216"};
constexpr Colours kLight = {"light",   "#eceef1", "#f8f9fb", "#ffffff", "#ffffff", "#cfd5dd", "#1b222b",
                            "#5d6978", "#d3e9ee", "#0c7f95", "#0a6f82", "#085e6e", "#ffffff", "#ffffff",
                            "#8995a3", "#9a5b00", "#b3261e", "#1f7a4a", "#ffffff"};

const Colours& coloursOf(ThemeKind kind)
{
    return kind == ThemeKind::Dark ? kDark : kLight;
}

QPalette makePalette(const Colours& c)
{
    QPalette p;
    const auto set = [&p](QPalette::ColorRole role, const char* colour) { p.setColor(role, QColor(colour)); };
    set(QPalette::Window, c.window);
    set(QPalette::WindowText, c.text);
    set(QPalette::Base, c.plot);
    set(QPalette::AlternateBase, c.panel);
    set(QPalette::Text, c.text);
    set(QPalette::Button, c.raised);
    set(QPalette::ButtonText, c.text);
    set(QPalette::BrightText, c.bad);
    set(QPalette::Highlight, c.accent);
    set(QPalette::HighlightedText, c.onAccent);
    set(QPalette::Link, c.accent);
    set(QPalette::PlaceholderText, c.dim);
    set(QPalette::Mid, c.border);
    set(QPalette::Midlight, c.raised);
    set(QPalette::Light, c.raised);
    set(QPalette::Dark, c.border);
    set(QPalette::Shadow, c.window);
    set(QPalette::ToolTipBase, c.raised);
    set(QPalette::ToolTipText, c.text);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText}) {
        QColor faint(c.dim);
        faint.setAlphaF(0.6F);
        p.setColor(QPalette::Disabled, role, faint);
    }
    return p;
}

QString fillTokens(QString sheet, const Colours& c)
{
    struct Token {
        const char* name;
        const char* value;
    };
    // Longer names before the names they begin with.
    const std::array<Token, 20> tokens = {{{"@accentHover", c.accentHover},
                                           {"@accentDown", c.accentDown},
                                           {"@onAccent", c.onAccent},
                                           {"@accent", c.accent},
                                           {"@window", c.window},
                                           {"@panel", c.panel},
                                           {"@raised", c.raised},
                                           {"@field", c.field},
                                           {"@border", c.border},
                                           {"@text", c.text},
                                           {"@dim", c.dim},
                                           {"@selected", c.selected},
                                           {"@knobEdge", c.knobEdge},
                                           {"@knob", c.knob},
                                           {"@warning", c.warning},
                                           {"@bad", c.bad},
                                           {"@good", c.good},
                                           {"@plot", c.plot},
                                           {"@name", c.name},
                                           {"@@", "@"}}};
    for (const Token& token : tokens) {
        sheet.replace(QLatin1String(token.name), QLatin1String(token.value));
    }
    return sheet;
}

// Fusion, with room for the arrow to what a tool bar has no room for: 12 pixels are less than its padding.
class ProgramStyle : public QProxyStyle {
public:
    ProgramStyle()
        : QProxyStyle(QStringLiteral("Fusion"))
    {
    }
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override
    {
        return metric == PM_ToolBarExtensionExtent ? 26 : QProxyStyle::pixelMetric(metric, option, widget);
    }
};

QFont programFont()
{
    QFont font = QApplication::font();
    const QStringList families = QFontDatabase::families();
    for (const char* family : {"Inter", "Noto Sans", "DejaVu Sans"}) {
        if (families.contains(QLatin1String(family))) {
            font.setFamily(QLatin1String(family));
            break;
        }
    }
    font.setPointSizeF(9.5);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

} // namespace

void applyTheme(QApplication& application, ThemeKind kind)
{
    useResources();
    const Colours& colours = coloursOf(kind);
    QFile file(QStringLiteral(":/ondo/theme/ondoscope.qss"));
    const QString sheet = file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    QApplication::setStyle(new ProgramStyle);
    QApplication::setFont(programFont());
    QApplication::setPalette(makePalette(colours));
    application.setStyleSheet(fillTokens(sheet, colours));
}

ThemeKind themeOf(const QPalette& palette)
{
    return palette.color(QPalette::Window).lightnessF() < 0.5F ? ThemeKind::Dark : ThemeKind::Light;
}

QColor toneColour(const QPalette& palette, Tone tone)
{
    const Colours& colours = coloursOf(themeOf(palette));
    switch (tone) {
    case Tone::Plain: return QColor(colours.text);
    case Tone::Dim: return QColor(colours.dim);
    case Tone::Warning: return QColor(colours.warning);
    case Tone::Bad: return QColor(colours.bad);
    case Tone::Good: return QColor(colours.good);
    }
    return {};
}

} // namespace ondo
