// Icons are SVG drawn in one ink; the ink is chosen when they are painted, so a change of theme needs no new icons.
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

namespace ondo {

namespace {

class ThemedIcon final : public QIconEngine {
public:
    ThemedIcon(QString name, IconInk ink)
        : m_name(std::move(name))
        , m_ink(ink)
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State /*state*/) override
    {
        QFile file(QStringLiteral(":/ondo/icons/%1.svg").arg(m_name));
        if (!file.open(QIODevice::ReadOnly)) {
            return;
        }
        QByteArray svg = file.readAll();
        const QColor colour = ink(mode);
        svg.replace("currentColor", colour.name().toLatin1());
        QSvgRenderer renderer(svg);
        renderer.setAspectRatioMode(Qt::KeepAspectRatio);
        const double opacity = painter->opacity();
        painter->setOpacity(opacity * colour.alphaF());
        renderer.render(painter, rect);
        painter->setOpacity(opacity);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new ThemedIcon(m_name, m_ink); }

private:
    [[nodiscard]] QColor ink(QIcon::Mode mode) const
    {
        const QPalette palette = QApplication::palette();
        if (mode == QIcon::Disabled) {
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        }
        switch (m_ink) {
        case IconInk::OnAccent: return palette.color(QPalette::HighlightedText);
        case IconInk::Accent: return palette.color(QPalette::Highlight);
        case IconInk::Text: break;
        }
        return palette.color(QPalette::ButtonText);
    }

    QString m_name;
    IconInk m_ink;
};

} // namespace

QIcon themedIcon(const QString& name, IconInk ink)
{
    return QIcon(new ThemedIcon(name, ink));
}

} // namespace ondo
