#include "ui/banner.h"

#include "ui/forms/form.h"
#include "ui/project_model.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ondo {

namespace {

constexpr int kNewsMilliseconds = 6000;
constexpr int kMostWidth = 760;

} // namespace

Banner::Banner(ProjectModel& project, QWidget& over)
    : QFrame(&over)
    , m_over(over)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
    , m_remedy(quietLabel({}, this))
{
    setObjectName(QStringLiteral("banner"));
    setProperty("role", "banner");
    setAutoFillBackground(true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 10, 8, 10);
    layout->setSpacing(12);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    for (QLabel* label : {m_text, m_remedy}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText); // a file's name may look like markup
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->addWidget(label);
    }
    m_text->setObjectName(QStringLiteral("bannerText"));
    m_remedy->setObjectName(QStringLiteral("bannerRemedy"));
    auto* close = new QToolButton(this);
    close->setObjectName(QStringLiteral("bannerClose"));
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setAccessibleName(tr("Dismiss the message"));
    connect(close, &QToolButton::clicked, this, &Banner::dismiss);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addLayout(words, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &Banner::dismiss);
    connect(&project, &ProjectModel::noticed, this, [this](const Notice& notice) { show(notice); });
    over.installEventFilter(this);
    hide();
}

void Banner::show(const Notice& notice)
{
    m_text->setText(notice.text);
    m_remedy->setText(notice.remedy);
    m_remedy->setVisible(!notice.remedy.isEmpty());
    const bool news = notice.kind == NoticeKind::Told;
    setTone(this, news ? "" : notice.kind == NoticeKind::Warning ? "warning" : "bad");
    const QString icon = news                                 ? QStringLiteral("about")
                         : notice.kind == NoticeKind::Warning ? QStringLiteral("warning")
                                                              : QStringLiteral("refused");
    m_icon->setPixmap(themedIcon(icon).pixmap(QSize(18, 18), devicePixelRatioF()));
    setAccessibleName(notice.text);
    QFrame::show();
    place();
    raise();
    if (news) {
        m_timer.start(kNewsMilliseconds);
    } else {
        m_timer.stop();
    }
}

void Banner::dismiss()
{
    m_timer.stop();
    hide();
}

QString Banner::text() const
{
    return isVisible() ? m_text->text() : QString();
}

void Banner::place()
{
    const int width = std::min(kMostWidth, m_over.width() - 32);
    const int height = std::max(layout()->totalHeightForWidth(width), layout()->totalMinimumSize().height());
    setGeometry((m_over.width() - width) / 2, 12, width, height);
    // What the style's border took from the labels' width may cost a line's foot.
    layout()->activate();
    int missing = 0;
    for (const QLabel* label : {m_text, m_remedy}) {
        missing += label->isHidden() ? 0 : std::max(0, label->heightForWidth(label->width()) - label->height());
    }
    resize(width, height + missing);
}

bool Banner::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_over && event->type() == QEvent::Resize && isVisible()) {
        place();
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace ondo
