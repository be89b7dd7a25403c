#include "ui/dock.h"

#include "ui/forms/form.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace ondo {

namespace {

// Never narrower than its content: nothing is cut off at the right, whatever the font.
class DockScroll : public QScrollArea {
public:
    explicit DockScroll(QWidget* parent)
        : QScrollArea(parent)
    {
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        const int bar = verticalScrollBar()->sizeHint().width();
        return {widget() == nullptr ? 100 : widget()->minimumSizeHint().width() + bar + 2, 80};
    }
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint().expandedTo(QScrollArea::sizeHint()); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
        return QScrollArea::eventFilter(watched, event);
    }
};

class DockTitle : public QWidget {
public:
    explicit DockTitle(QDockWidget& dock)
        : QWidget(&dock)
    {
        setAttribute(Qt::WA_StyledBackground);
        setProperty("role", "dockTitle");
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(kDockMargin, 8, 6, 2);
        layout->setSpacing(0);
        auto* title = new QLabel(dock.windowTitle(), this);
        QFont bold = title->font();
        bold.setWeight(QFont::DemiBold);
        title->setFont(bold);
        layout->addWidget(title, 1);
        const auto button = [&](const QString& icon, const QString& tip, const QString& name) {
            auto* tool = new QToolButton(this);
            tool->setObjectName(dock.objectName() + name);
            tool->setIcon(themedIcon(icon));
            tool->setIconSize(QSize(12, 12));
            tool->setProperty("role", "plain");
            tool->setToolTip(tip);
            tool->setAccessibleName(tip);
            tool->setFocusPolicy(Qt::TabFocus);
            layout->addWidget(tool);
            return tool;
        };
        connect(button(QStringLiteral("float"), QObject::tr("Float or dock"), QStringLiteral("Float")),
                &QToolButton::clicked, &dock, [&dock] { dock.setFloating(!dock.isFloating()); });
        connect(button(QStringLiteral("close"), QObject::tr("Close; the View menu brings it back"),
                       QStringLiteral("Close")),
                &QToolButton::clicked, &dock, &QDockWidget::close);
    }
};

} // namespace

Dock::Dock(const QString& name, const QString& title, QWidget* content, Scroll scroll, QWidget* parent)
    : QDockWidget(title, parent)
{
    setObjectName(name);
    setTitleBarWidget(new DockTitle(*this));
    auto* body = new QWidget(this);
    body->setAttribute(Qt::WA_StyledBackground);
    body->setProperty("role", "dockBody");
    auto* layout = new QVBoxLayout(body);
    layout->setContentsMargins(0, 0, 0, 0);
    if (scroll == Scroll::Needed) {
        auto* area = new DockScroll(body);
        area->setWidget(content);
        layout->addWidget(area);
    } else {
        layout->addWidget(content);
    }
    setWidget(body);
}

} // namespace ondo
