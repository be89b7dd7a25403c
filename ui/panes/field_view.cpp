#include "ui/panes/field_view.h"

#include "render/colour_map.h"
#include "render/ticks.h"
#include "ui/vtk/vtk_furniture.h"

#include <QEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr int kClipMilliseconds = 700; // the colour bar's ends are spelled anew no more often
constexpr int kLeastWidth = 320, kLeastHeight = 240;

QString capitalised(const std::string& word)
{
    QString text = QString::fromStdString(word);
    return text.isEmpty() ? text : text.left(1).toUpper() + text.mid(1);
}

// The power of ten, of those that are multiples of three, that leaves 1 to 999 of a value: numbers at a bar's ends stay short.
int powerOf(double value)
{
    return value > 0.0 ? 3 * static_cast<int>(std::floor(std::log10(value) / 3.0)) : 0;
}

// "10⁻¹² "
QString tenTo(int power)
{
    static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("10") + (power < 0 ? QStringLiteral("⁻") : QString());
    for (const QChar digit : QString::number(std::abs(power))) {
        text += kDigits[digit.digitValue()];
    }
    return text + QLatin1Char(' ');
}

} // namespace

FieldView::FieldView(QWidget* parent)
    : QOpenGLWidget(parent)
    , m_theme(lightTheme())
    , m_display(std::make_unique<DisplayThread>())
    , m_furniture(std::make_unique<VtkFurniture>(*this))
{
    setObjectName("fieldView");
    setUpdateBehavior(QOpenGLWidget::PartialUpdate);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(kLeastWidth, kLeastHeight);
    setAccessibleName(tr("Section with the wave field"));
    m_style.fieldColours = colourTable(ColourMapUse::Field, {});
    m_style.modelColours = colourTable(ColourMapUse::Model, {});
    m_clipTimer.setSingleShot(true);
    m_clipTimer.setInterval(kClipMilliseconds);
    connect(&m_clipTimer, &QTimer::timeout, this, [this] { noteClip(m_latestClip); });
    connect(m_display.get(), &DisplayThread::pictureArrived, this, qOverload<>(&QWidget::update));
    connect(m_display.get(), &DisplayThread::directLost, this, [this] {
        if (m_session != nullptr) {
            m_session->setTransport(FrameTransport::Host);
        }
        emit displayChanged(m_display->verdict());
    });
}

FieldView::~FieldView()
{
    detach();
    disconnect(m_contextGone);
    makeCurrent();
    releaseGl();
    doneCurrent();
    m_display.reset();
}

void FieldView::setModel(const Model& model)
{
    const bool sameExtent = !m_model.empty() && m_model.grid() == model.grid();
    m_model = model;
    m_range = model.empty() ? ValueRange{} : model.range();
    if (!sameExtent && !model.empty()) {
        m_still.reset();
        m_view.setExtent(planeExtent(model.grid(), m_style.plane));
    }
    layOut();
    viewChanged();
}

void FieldView::setMarkers(const std::vector<Source>& sources, const std::vector<Receiver>& receivers)
{
    std::vector<Position> places;
    std::transform(sources.begin(), sources.end(), std::back_inserter(places),
                   [](const Source& s) { return s.position; });
    m_handles.setSources(std::exchange(places, {}));
    std::transform(receivers.begin(), receivers.end(), std::back_inserter(places),
                   [](const Receiver& r) { return r.position; });
    m_handles.setReceivers(std::move(places));
    composeAgain();
}

void FieldView::setProbe(std::optional<Position> position)
{
    m_handles.setProbe(position);
    composeAgain();
}

void FieldView::setPicked(std::optional<int> receiver)
{
    m_handles.picked = receiver;
    composeAgain();
}

void FieldView::setFieldQuantity(const std::optional<FieldQuantity>& quantity)
{
    if (quantity != m_fieldQuantity) {
        m_fieldQuantity = quantity;
        m_shownClip = m_latestClip = 0.0; // of another quantity
        m_clipTimer.stop();
        m_stillStale = true;
        composeAgain();
    }
}

void FieldView::setStyle(const PictureSettings& style)
{
    const bool otherPlane = style.plane != m_style.plane;
    m_style = style;
    m_style.frame = {};
    if (otherPlane && !m_model.empty()) {
        m_view.setExtent(planeExtent(m_model.grid(), m_style.plane));
    }
    layOut();
    pictureChanged();
}

void FieldView::setTheme(const Theme& theme)
{
    m_theme = theme;
    pictureChanged();
}

void FieldView::setAspect(Aspect aspect)
{
    m_view.setAspect(aspect);
    layOut();
    viewChanged();
}

void FieldView::setGridLines(Lines lines)
{
    m_lines = lines;
    composeAgain();
}

void FieldView::setTool(Tool tool)
{
    m_tool = tool;
    updateCursor();
}

void FieldView::showStill(std::shared_ptr<const FieldFrame> field)
{
    m_still = std::move(field);
    m_live = false;
    pictureChanged();
}

PictureSettings FieldView::pictureSettings() const
{
    PictureSettings settings = m_style;
    settings.frame = m_view.frame();
    settings.outside = m_theme.background.rgba();
    return settings;
}

DisplayVerdict FieldView::useDevice(std::shared_ptr<Device> device)
{
    DisplayVerdict verdict = m_display->useDevice(std::move(device));
    emit displayChanged(verdict);
    return verdict;
}

void FieldView::attach(Session& session)
{
    m_session = &session;
    m_session->setPicture(pictureSettings());
    tellSeen();
    attachFrames(session.frames());
}

void FieldView::attachFrames(FrameExchange& frames)
{
    m_display->attach(frames);
    m_attached = true;
    m_viewClock.start();
    m_viewsThisSecond = 0;
}

void FieldView::detach()
{
    m_display->detach();
    m_attached = false;
    m_session = nullptr;
    m_viewsPerSecond = 0.0;
}

void FieldView::fit()
{
    m_view.fit();
    viewChanged();
}

void FieldView::zoomIn()
{
    const PixelRect r = m_view.fieldRect();
    m_view.zoomAbout({r.x + 0.5 * r.width, r.y + 0.5 * r.height}, 1.5);
    viewChanged();
}

void FieldView::zoomOut()
{
    const PixelRect r = m_view.fieldRect();
    m_view.zoomAbout({r.x + 0.5 * r.width, r.y + 0.5 * r.height}, 1.0 / 1.5);
    viewChanged();
}

void FieldView::pictureReady()
{
    m_display->wake();
}

unsigned FieldView::takeGlError()
{
    return std::exchange(m_glError, 0U);
}

QSize FieldView::deviceSize() const
{
    return size() * devicePixelRatioF();
}

void FieldView::layOut()
{
    m_scale = devicePixelRatioF();
    const QSize size = deviceSize();
    const int bars = (m_style.showModel ? 1 : 0) + (m_style.showField ? 1 : 0);
    m_layout = layOutSection({0, 0, size.width(), size.height()}, m_scale, m_view.extent(), m_view.aspect(), bars);
    if (!(m_view.area() == m_layout.area)) {
        m_view.setArea(m_layout.area);
    }
}

void FieldView::viewChanged()
{
    const PixelRect r = m_view.fieldRect();
    emit fieldRectChanged({r.x, r.y, r.width, r.height});
    pictureChanged();
}

void FieldView::pictureChanged()
{
    m_stillStale = true;
    const PictureSettings settings = pictureSettings();
    if (m_session != nullptr) {
        m_session->setPicture(settings);
    }
    emit pictureSettingsWanted(settings);
    composeAgain();
}

void FieldView::composeAgain()
{
    m_compose = true;
    m_overlayStale = true;
    update();
}

SectionFurniture FieldView::furniture() const
{
    SectionFurniture f;
    f.scale = m_scale;
    f.theme = m_theme;
    if (m_model.empty()) {
        return f; // the ground alone: axes of nothing would only mislead
    }
    f.field = m_view.fieldRect();
    f.frame = m_view.frame();
    f.placement = m_layout.bars;
    const AxisTitles titles = axisTitles(m_style.plane);
    f.acrossTitle = tr(titles.across.c_str()).toStdString();
    f.downTitle = tr(titles.down.c_str()).toStdString();
    if (m_style.showModel && !m_model.empty()) {
        const ParameterField& v = m_model.velocity();
        const QString title = tr("%1 (%2)").arg(capitalised(v.name), QString::fromStdString(v.unit));
        f.bars.push_back({title.toStdString(), m_style.modelLow, m_style.modelHigh, m_style.modelColours});
    }
    if (m_style.showField && !m_model.empty() && m_fieldQuantity) {
        const int power = powerOf(m_shownClip);
        const double end = m_shownClip / std::pow(10.0, power);
        const QString factor = power != 0 ? tenTo(power) : QString();
        f.bars.push_back({tr("%1 (%2%3)").arg(m_fieldQuantity->name, factor, m_fieldQuantity->unit).toStdString(), -end,
                          end, m_style.fieldColours});
    } else if (m_style.showField && !m_model.empty()) {
        const PressureUnit unit = pressureUnitFor(m_shownClip);
        const double end = m_shownClip / unit.pascals;
        const QString title = tr("Pressure (%1)").arg(QString::fromStdString(unit.name));
        f.bars.push_back({title.toStdString(), -end, end, m_style.fieldColours});
    }
    return f;
}

void FieldView::noteClip(double clip)
{
    m_latestClip = clip;
    const bool seen = std::abs(clip - m_shownClip) > 0.03 * std::abs(m_shownClip);
    if (!seen || m_clipTimer.isActive()) {
        return;
    }
    m_shownClip = clip;
    if (!m_fieldQuantity) {
        emit fullColourShown(clip);
    }
    m_clipTimer.start();
    m_compose = true;
    update();
}

void FieldView::showEvent(QShowEvent* event)
{
    QOpenGLWidget::showEvent(event);
    window()->installEventFilter(this); // again after a move to another window; once is enough for the same
    tellSeen();
}

void FieldView::hideEvent(QHideEvent* event)
{
    QOpenGLWidget::hideEvent(event);
    tellSeen();
}

bool FieldView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == window() && event->type() == QEvent::WindowStateChange) {
        tellSeen();
    }
    return QOpenGLWidget::eventFilter(watched, event);
}

// What nobody sees costs the solver nothing.
void FieldView::tellSeen()
{
    if (m_session != nullptr) {
        m_session->setViewing(isVisible() && !window()->isMinimized());
    }
}

} // namespace ondo
