#include "ui/forms/number_label.h"

#include <QPainter>

#include <algorithm>

namespace ondo {

namespace {

int digitWidth(const QFontMetrics& metrics)
{
    int widest = 0;
    for (char digit = '0'; digit <= '9'; ++digit) {
        widest = std::max(widest, metrics.horizontalAdvance(QLatin1Char(digit)));
    }
    return widest;
}

// Runs of other characters keep their kerning; each digit has a cell of its own.
template<class Draw>
int walk(const QFontMetrics& metrics, const QString& text, Draw draw)
{
    const int cell = digitWidth(metrics);
    int x = 0;
    for (qsizetype i = 0; i < text.size();) {
        if (text[i].isDigit()) {
            draw(x + (cell - metrics.horizontalAdvance(text[i])) / 2, text.mid(i, 1));
            x += cell;
            ++i;
            continue;
        }
        qsizetype end = i;
        while (end < text.size() && !text[end].isDigit()) {
            ++end;
        }
        const QString run = text.mid(i, end - i);
        draw(x, run);
        x += metrics.horizontalAdvance(run);
        i = end;
    }
    return x;
}

} // namespace

int tabularWidth(const QFontMetrics& metrics, const QString& text)
{
    return walk(metrics, text, [](int, const QString&) {});
}

void drawTabular(QPainter& painter, int x, int y, const QString& text)
{
    walk(painter.fontMetrics(), text, [&](int offset, const QString& run) { painter.drawText(x + offset, y, run); });
}

NumberLabel::NumberLabel(const QString& name, const QString& widest, QWidget* parent)
    : QWidget(parent)
    , m_widest(widest)
{
    setObjectName(name);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void NumberLabel::setText(const QString& text)
{
    if (text == m_text) {
        return;
    }
    const bool wider = tabularWidth(fontMetrics(), text) > tabularWidth(fontMetrics(), m_widest);
    m_text = text;
    if (wider) {
        m_widest = text;
        updateGeometry();
    }
    setAccessibleDescription(text);
    update();
}

void NumberLabel::setTone(Tone tone)
{
    if (tone != m_tone) {
        m_tone = tone;
        update();
    }
}

QSize NumberLabel::sizeHint() const
{
    return {tabularWidth(fontMetrics(), m_widest) + 2, fontMetrics().height() + 4};
}

void NumberLabel::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setPen(toneColour(palette(), m_tone));
    drawTabular(painter, 0, (height() + fontMetrics().ascent() - fontMetrics().descent()) / 2, m_text);
}

} // namespace ondo
