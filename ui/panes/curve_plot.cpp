#include "ui/panes/curve_plot.h"

#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ondo {

namespace {

constexpr int kAll = 1000000; // points, of Home and End
constexpr double kDot = 2.5;  // px

int stepsOf(const QKeyEvent& event)
{
    if (event.modifiers() != Qt::NoModifier && event.modifiers() != Qt::KeypadModifier) {
        return 0;
    }
    switch (event.key()) {
    case Qt::Key_Left: return -1;
    case Qt::Key_Right: return 1;
    case Qt::Key_Home: return -kAll;
    case Qt::Key_End: return kAll;
    default: return 0;
    }
}

} // namespace

CurvePlot::CurvePlot(const QString& name, QString empty, QWidget* parent)
    : QWidget(parent)
    , m_empty(std::move(empty))
{
    setObjectName(name);
    setFocusPolicy(Qt::StrongFocus);
    m_frame.downGrows = false;
}

void CurvePlot::setAxes(const PlotAxis& across, const QString& downTitle, bool logarithmic)
{
    m_frame.across = across;
    m_downTitle = downTitle;
    m_logarithmic = logarithmic;
    fitDown();
}

void CurvePlot::setDown(const PlotAxis& down)
{
    m_down = down;
    m_frame.downGrows = true;
    fitDown();
}

void CurvePlot::setCurves(std::vector<PlotCurve> curves)
{
    m_curves = std::move(curves);
    fitDown();
}

void CurvePlot::setBands(std::vector<PlotBand> bands)
{
    m_bands = std::move(bands);
    fitDown();
}

void CurvePlot::setMarks(std::vector<PlotMark> marks)
{
    m_marks = std::move(marks);
    update();
}

void CurvePlot::setChosen(std::optional<double> x)
{
    m_chosen = x;
    update();
}

void CurvePlot::setEmpty(const QString& text)
{
    m_empty = text;
    update();
}

QColor CurvePlot::colourOf(const QPalette& palette, int curve)
{
    if (curve == 0) {
        return palette.color(QPalette::Highlight);
    }
    // Told apart by eyes that see no red or no green as well (Okabe and Ito's hues, dimmed for light grounds).
    static const QColor kMore[] = {QColor(230, 159, 0), QColor(204, 121, 167), QColor(0, 158, 115), QColor(213, 94, 0),
                                   QColor(86, 130, 233)};
    return kMore[static_cast<std::size_t>(curve - 1) % std::size(kMore)];
}

bool CurvePlot::anything() const
{
    return std::any_of(m_curves.begin(), m_curves.end(), [](const PlotCurve& c) { return !c.y.empty(); });
}

void CurvePlot::fitDown()
{
    if (m_down) {
        m_frame.down = *m_down;
        update();
        return;
    }
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const PlotCurve& curve : m_curves) {
        for (const double y : curve.y) {
            if (std::isfinite(y) && (!m_logarithmic || y > 0.0)) {
                low = std::min(low, y);
                high = std::max(high, y);
            }
        }
    }
    m_frame.down = {m_downTitle, 0.0, 1.0, m_logarithmic};
    if (high < low) {
        m_frame.down.low = m_logarithmic ? 0.1 : 0.0;
    } else if (m_logarithmic) {
        m_frame.down.low = low / 1.3;
        m_frame.down.high = high * 1.3;
    } else {
        m_frame.down.low = std::min(0.0, low);
        m_frame.down.high = high > m_frame.down.low ? high + 0.06 * (high - m_frame.down.low) : m_frame.down.low + 1.0;
    }
    update();
}

void CurvePlot::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    // The legend stands above the area: within, it lay over the labels of marks.
    const bool named =
        std::any_of(m_curves.begin(), m_curves.end(), [](const PlotCurve& c) { return !c.name.isEmpty(); });
    m_frame.layOut(QRectF(rect()).adjusted(0.0, named ? painter.fontMetrics().height() : 0.0, 0.0, 0.0), *this);
    painter.fillRect(m_frame.area, palette().color(QPalette::Base));
    if (!anything()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(m_frame.area.adjusted(8.0, 4.0, -8.0, -4.0), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    } else {
        drawBands(painter);
        m_frame.drawGrid(painter, palette());
        painter.save();
        painter.setClipRect(m_frame.area);
        painter.setRenderHint(QPainter::Antialiasing);
        if (m_chosen) {
            painter.setPen(QPen(palette().color(QPalette::Text), 1.0, Qt::DashLine));
            const double x = std::round(m_frame.x(*m_chosen)) + 0.5;
            painter.drawLine(QPointF(x, m_frame.area.top()), QPointF(x, m_frame.area.bottom()));
        }
        drawCurves(painter);
        painter.restore();
        drawMarks(painter);
        drawLegend(painter);
    }
    m_frame.drawAxes(painter, palette());
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.0));
        painter.drawRect(m_frame.area.adjusted(-0.5, -0.5, 0.5, 0.5));
    }
}

void CurvePlot::drawBands(QPainter& painter) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    for (std::size_t i = 0; i < m_bands.size(); ++i) {
        const double left = std::max(m_frame.x(m_bands[i].from), m_frame.area.left());
        const double right = std::min(m_frame.x(m_bands[i].to), m_frame.area.right());
        const QRectF band(left, m_frame.area.top(), right - left, m_frame.area.height());
        QColor wash = palette().color(QPalette::Highlight);
        wash.setAlphaF(i % 2 == 0 ? 0.04F : 0.12F);
        painter.fillRect(band, wash);
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(
            band.adjusted(5.0, 2.0, -2.0, -2.0), Qt::AlignBottom | Qt::AlignLeft,
            metrics.elidedText(m_bands[i].name, Qt::ElideRight, std::max(0, static_cast<int>(right - left) - 8)));
    }
}

void CurvePlot::drawCurves(QPainter& painter) const
{
    for (std::size_t c = 0; c < m_curves.size(); ++c) {
        const PlotCurve& curve = m_curves[c];
        const QColor colour = colourOf(palette(), static_cast<int>(c));
        std::vector<QPolygonF> lines(1); // broken where there is no number
        for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
            if (std::isfinite(curve.y[i]) && (!m_logarithmic || curve.y[i] > 0.0)) {
                lines.back() << QPointF(m_frame.x(curve.x[i]), m_frame.y(curve.y[i]));
            } else {
                lines.emplace_back();
            }
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colour, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        QPolygonF points;
        for (const QPolygonF& line : lines) {
            painter.drawPolyline(line);
            points += line;
        }
        if (curve.dots) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            for (const QPointF& point : points) {
                const bool chosen = m_chosen && std::abs(point.x() - m_frame.x(*m_chosen)) < 0.5;
                painter.drawEllipse(point, chosen ? 2.0 * kDot : kDot, chosen ? 2.0 * kDot : kDot);
            }
        }
    }
}

void CurvePlot::drawMarks(QPainter& painter) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    std::vector<QRectF> taken;
    for (const PlotMark& mark : m_marks) {
        const QPointF at(m_frame.x(mark.x), m_frame.y(mark.y));
        painter.setPen(QPen(palette().color(QPalette::Base), 1.0));
        painter.setBrush(colourOf(palette(), mark.curve));
        painter.drawPolygon(QPolygonF{at + QPointF(0.0, -3.0), at + QPointF(-5.0, -12.0), at + QPointF(5.0, -12.0)});
        const double width = metrics.horizontalAdvance(mark.name);
        const double left = std::clamp(at.x() - width / 2.0, m_frame.area.left() + 2.0,
                                       std::max(m_frame.area.left() + 2.0, m_frame.area.right() - width - 2.0));
        double base = std::max(at.y() - 15.0, m_frame.area.top() + metrics.ascent() + 2.0);
        QRectF place(left, base - metrics.ascent(), width, metrics.height());
        const auto covers = [&] {
            return std::any_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(place); });
        };
        while (covers() && place.top() > m_frame.area.top() + metrics.height()) {
            place.translate(0.0, -metrics.height()); // over the one that is there already
            base -= metrics.height();
        }
        if (covers()) {
            continue; // a low plot: the mark alone, whoever shows it says where it is
        }
        taken.push_back(place);
        painter.setPen(colourOf(palette(), mark.curve));
        painter.drawText(QPointF(left, base), mark.name);
    }
    painter.restore();
}

void CurvePlot::drawLegend(QPainter& painter) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    double right = m_frame.area.right();
    for (std::size_t c = m_curves.size(); c-- > 0;) {
        const QString& name = m_curves[c].name;
        if (name.isEmpty()) {
            continue;
        }
        const double base = m_frame.area.top() - metrics.descent() - 3.0;
        right -= metrics.horizontalAdvance(name);
        painter.setPen(palette().color(QPalette::Text));
        painter.drawText(QPointF(right, base), name);
        painter.setPen(QPen(colourOf(palette(), static_cast<int>(c)), 3.0));
        painter.drawLine(QPointF(right - 20.0, base - metrics.ascent() / 3.0),
                         QPointF(right - 6.0, base - metrics.ascent() / 3.0));
        right -= 32.0;
    }
}

void CurvePlot::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_told && anything()) {
        m_told(m_frame.acrossAt(event->position().x()));
    }
}

void CurvePlot::mouseMoveEvent(QMouseEvent* event)
{
    if ((event->buttons() & Qt::LeftButton) != 0 && m_told && anything()) {
        m_told(m_frame.acrossAt(event->position().x()));
    }
}

bool CurvePlot::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && m_stepTold && stepsOf(*static_cast<QKeyEvent*>(event)) != 0) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void CurvePlot::keyPressEvent(QKeyEvent* event)
{
    const int steps = stepsOf(*event);
    if (steps == 0 || !m_stepTold) {
        QWidget::keyPressEvent(event);
        return;
    }
    m_stepTold(steps);
}

} // namespace ondo
