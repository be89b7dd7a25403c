#include "ui/panels/display_panel.h"

#include "render/colour_map.h"
#include "ui/project_model.h"
#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kLeastPercentile = 50.0;
constexpr double kLeastGain = 0.1;
constexpr double kMostGain = 100.0;

QIcon swatch(const ColourTable& colours)
{
    constexpr int kWidth = 72;
    constexpr int kHeight = 14;
    constexpr double kRatio = 2.0;
    QPixmap pixmap(static_cast<int>(kWidth * kRatio), static_cast<int>(kHeight * kRatio));
    pixmap.setDevicePixelRatio(kRatio);
    pixmap.fill(Qt::transparent);
    QImage strip(256, 1, QImage::Format_RGB32);
    for (int i = 0; i < 256; ++i) {
        const std::uint32_t c = colours[static_cast<std::size_t>(i)];
        strip.setPixel(
            i, 0,
            qRgb(static_cast<int>(c & 0xFFU), static_cast<int>(c >> 8 & 0xFFU), static_cast<int>(c >> 16 & 0xFFU)));
    }
    QPainter painter(&pixmap);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    QPainterPath round;
    round.addRoundedRect(QRectF(0, 0, kWidth, kHeight), 3, 3);
    painter.setClipPath(round);
    painter.drawImage(QRectF(0, 0, kWidth, kHeight), strip);
    return QIcon(pixmap);
}

void fillMaps(Choice& choice, ColourMapUse use)
{
    choice.setIconSize(QSize(72, 14));
    for (const ColourMapName& map : colourMaps(use)) {
        const QString title = fromEngine(map.title); // "Tide: blue, white, red"
        choice.addItem(swatch(*colourTable(use, map.name)), title.section(QLatin1Char(':'), 0, 0),
                       fromEngine(map.name));
        choice.setItemData(choice.count() - 1, title, Qt::ToolTipRole);
    }
}

} // namespace

const std::vector<RateStop>& rateStops()
{
    const auto text = [](const char* words) { return QCoreApplication::translate("DisplayPanel", words); };
    static const std::vector<RateStop> kStops = {
        {{5.0, 0.02, false}, text("Solver first: 5 views/s, 2 % of its time")},
        {{15.0, 0.05, false}, text("15 views/s, at most 5 % of the solver's time")},
        {{30.0, 0.10, false}, text("30 views/s, at most 10 % of the solver's time")},
        {{60.0, 0.30, false}, text("60 views/s, at most 30 % of the solver's time")},
        {{60.0, 1.00, true}, text("Every step, whatever it costs")},
    };
    return kStops;
}

int rateStopOf(const ViewRate& rate)
{
    const auto& stops = rateStops();
    for (std::size_t i = 0; i < stops.size(); ++i) {
        if (stops[i].rate == rate) {
            return static_cast<int>(i);
        }
    }
    return 2;
}

const std::vector<double>& paceStops()
{
    static const std::vector<double> kStops = {0.0, 5.0, 10.0, 20.0, 40.0, 80.0};
    return kStops;
}

int paceStopOf(double watchSeconds)
{
    const auto& stops = paceStops();
    const auto at = std::lower_bound(stops.begin(), stops.end(), watchSeconds);
    return static_cast<int>(std::min(at - stops.begin(), static_cast<std::ptrdiff_t>(stops.size()) - 1));
}

DisplayPanel::DisplayPanel(ProjectModel& project, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_form(new Form(this))
{
    setObjectName(QStringLiteral("displayPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin - kGap, 0, kDockMargin - kGap, 0);
    layout->addWidget(m_form);
    addColours();
    addAmplitudes();
    addRate();
    connect(&m_project, &ProjectModel::viewChanged, this, &DisplayPanel::showView);
    showView();
    showFullColour(0.0);
}

void DisplayPanel::addColours()
{
    const auto choose = [this](Choice* DisplayPanel::*choice, QString ViewSettings::*field) {
        return [this, choice, field](int index) {
            edit([&](ViewSettings& view) { view.*field = (this->*choice)->itemData(index).toString(); });
        };
    };
    m_fieldMap =
        new Choice(QStringLiteral("fieldMap"), {}, choose(&DisplayPanel::m_fieldMap, &ViewSettings::fieldMap), this);
    m_modelMap =
        new Choice(QStringLiteral("modelMap"), {}, choose(&DisplayPanel::m_modelMap, &ViewSettings::modelMap), this);
    fillMaps(*m_fieldMap, ColourMapUse::Field);
    fillMaps(*m_modelMap, ColourMapUse::Model);
    m_form->row(tr("Field"), m_fieldMap);
    m_form->row(tr("Model"), m_modelMap);
    m_blend = new SliderQuantity(
        QStringLiteral("blend"), {tr("%"), 0.0, 100.0, 0, 5.0, {}}, linearMap(0.0, 100.0),
        [this](double value) { edit([=](ViewSettings& view) { view.blend = value / 100.0; }); }, this);
    m_blend->setToolTip(tr("0 %: the model alone; 100 %: the field alone"));
    m_form->row(tr("Blend"), m_blend);
}

void DisplayPanel::addAmplitudes()
{
    m_percentile = new SliderQuantity(
        QStringLiteral("clipPercentile"), {tr("%"), kLeastPercentile, 100.0, 2, 0.5, {}},
        linearMap(kLeastPercentile, 100.0),
        [this](double value) { edit([=](ViewSettings& view) { view.percentile = value; }); }, this);
    m_percentile->setToolTip(tr("Full colour at this percentile of the visible pressure"));
    m_form->row(tr("Clip"), m_percentile);
    m_clip = m_form->readOut(tr("Full colour"), QStringLiteral("clipValue"));
    m_gain = new SliderQuantity(
        QStringLiteral("gain"), {tr("×"), kLeastGain, kMostGain, 2, 0.0, {}}, logarithmicMap(kLeastGain, kMostGain),
        [this](double value) { edit([=](ViewSettings& view) { view.gain = value; }); }, this);
    m_form->row(tr("Gain"), m_gain);
    m_hold = new TickBox(
        QStringLiteral("clipHold"), tr("Hold the clip"),
        [this](bool on) { edit([=](ViewSettings& view) { view.hold = on; }); }, this);
    m_polarity = new TickBox(
        QStringLiteral("polarity"), tr("Reverse the polarity"),
        [this](bool on) { edit([=](ViewSettings& view) { view.reversedPolarity = on; }); }, this);
    m_model = new TickBox(
        QStringLiteral("showModel"), tr("Show the model"),
        [this](bool on) { edit([=](ViewSettings& view) { view.showModel = on; }); }, this);
    m_form->wide(m_hold);
    m_form->wide(m_polarity);
    m_form->wide(m_model);
}

void DisplayPanel::addRate()
{
    QStringList paces;
    for (const double seconds : paceStops()) {
        paces << (seconds > 0.0 ? tr("a shot takes %1 s").arg(seconds) : tr("full speed"));
    }
    m_pace = new Choice(
        QStringLiteral("pace"), paces,
        [this](int index) {
            edit([=](ViewSettings& view) { view.watchSeconds = paceStops()[static_cast<std::size_t>(index)]; });
        },
        this);
    m_pace->setToolTip(tr("A fast device is held back so that the eye can follow (< slower, > faster)"));
    m_form->row(tr("Pace"), m_pace);
    m_rate = new QuietSlider(this);
    m_rate->setObjectName(QStringLiteral("viewRate"));
    m_rate->setRange(0, static_cast<int>(rateStops().size()) - 1);
    m_rate->setPageStep(1);
    connect(m_rate, &QSlider::valueChanged, this, [this](int stop) {
        edit([=](ViewSettings& view) { view.rate = rateStops()[static_cast<std::size_t>(stop)].rate; });
    });
    m_form->row(tr("View rate"), m_rate);
    m_rateText = quietLabel({}, this);
    m_rateText->setObjectName(QStringLiteral("viewRateText"));
    m_rateText->setWordWrap(true);
    m_form->wide(m_rateText);
    m_path = new Choice(
        QStringLiteral("displayWish"), {tr("Automatic"), tr("Through host memory")},
        [this](int index) { edit([=](ViewSettings& view) { view.display = static_cast<DisplayWish>(index); }); }, this);
    m_path->setToolTip(tr("Automatic: from the GPU's memory straight to the screen wherever that is possible"));
    m_form->row(tr("Path"), m_path);
}

void DisplayPanel::edit(const std::function<void(ViewSettings&)>& change)
{
    ViewSettings view = m_project.view();
    change(view);
    m_project.setView(view);
}

void DisplayPanel::showView()
{
    const ViewSettings& view = m_project.view();
    m_fieldMap->set(std::max(0, m_fieldMap->findData(view.fieldMap)));
    m_modelMap->set(std::max(0, m_modelMap->findData(view.modelMap)));
    m_blend->set(view.blend * 100.0);
    m_percentile->set(view.percentile);
    m_gain->set(view.gain);
    m_hold->set(view.hold);
    m_polarity->set(view.reversedPolarity);
    m_model->set(view.showModel);
    m_path->set(static_cast<int>(view.display));
    m_pace->set(paceStopOf(view.watchSeconds));
    const int stop = rateStopOf(view.rate);
    const QSignalBlocker quiet(m_rate);
    m_rate->setValue(stop);
    m_rateText->setText(rateStops()[static_cast<std::size_t>(stop)].text);
}

void DisplayPanel::showFullColour(double pascals)
{
    m_clip->setText(pascals > 0.0 ? QStringLiteral("±%1").arg(pressureText(pascals)) : QStringLiteral("–"));
}

} // namespace ondo
