// Text whose digits all have one width, so that a number that changes does not shake what stands beside it.
#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

class QPainter;

namespace ondo {

class NumberLabel : public QWidget {
public:
    // widest: a text as long as any that is to come; sets the width.
    NumberLabel(const QString& name, const QString& widest, QWidget* parent = nullptr);
    void setText(const QString& text);
    void setTone(Tone tone);
    [[nodiscard]] const QString& text() const { return m_text; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text, m_widest;
    Tone m_tone = Tone::Plain;
};

// Width and drawing of such a text with the painter's font; y is the base line.
[[nodiscard]] int tabularWidth(const QFontMetrics& metrics, const QString& text);
void drawTabular(QPainter& painter, int x, int y, const QString& text);

} // namespace ondo
