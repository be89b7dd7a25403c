#include "ui/dialogs/command_palette.h"

#include "ui/actions/action_list.h"
#include "ui/forms/form.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

constexpr int kKeysRole = Qt::UserRole + 1;

// The name at the left, its keys quietly at the right.
class PaletteRow : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        painter->setPen(option.palette.color(QPalette::PlaceholderText));
        painter->drawText(option.rect.adjusted(0, 0, -12, 0), Qt::AlignRight | Qt::AlignVCenter,
                          index.data(kKeysRole).toString());
    }
};

} // namespace

int matchScore(const QString& text, const QString& words)
{
    int score = 1;
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (at < 0) {
            return 0;
        }
        score += at == 0 ? 4 : text[at - 1].isLetterOrNumber() ? 1 : 3;
    }
    return score;
}

CommandPalette::CommandPalette(const ActionList& actions, QWidget* parent)
    : QDialog(parent, Qt::Popup)
    , m_words(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_DeleteOnClose);
    for (const ActionGroup& group : actions.groups()) {
        for (Action* action : group.actions) {
            if (action != nullptr) {
                m_actions.push_back(action);
            }
        }
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kGap, kGap, kGap, kGap);
    layout->setSpacing(6);
    m_words->setObjectName(QStringLiteral("paletteWords"));
    m_words->setPlaceholderText(tr("What do you want to do?"));
    m_words->setAccessibleName(tr("Search commands"));
    m_list->setObjectName(QStringLiteral("paletteList"));
    m_list->setAccessibleName(tr("Commands found"));
    m_list->setItemDelegate(new PaletteRow(m_list));
    m_list->setIconSize(QSize(18, 18));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    layout->addWidget(m_words);
    layout->addWidget(m_list);
    setFixedSize(520, 420);
    if (parent != nullptr) {
        const QPoint top = parent->mapToGlobal(QPoint((parent->width() - width()) / 2, 72));
        move(top);
    }
    m_words->installEventFilter(this);
    connect(m_words, &QLineEdit::textChanged, this, [this](const QString& words) { fill(words); });
    connect(m_words, &QLineEdit::returnPressed, this, [this] { perform(); });
    connect(m_list, &QListWidget::itemClicked, this, [this] { perform(); });
    fill({});
    m_words->setFocus();
}

void CommandPalette::fill(const QString& words)
{
    std::vector<std::pair<int, Action*>> found;
    for (Action* action : m_actions) {
        if (const int score = matchScore(action->text() + QLatin1Char(' ') + action->statusTip(), words); score > 0) {
            found.emplace_back(score, action);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    m_list->clear();
    QPixmap nothing(m_list->iconSize());
    nothing.fill(Qt::transparent);
    const QIcon noIcon(nothing); // words stand under words
    for (const auto& [score, action] : found) {
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        auto* item = new QListWidgetItem(action->icon().isNull() ? noIcon : action->icon(), text, m_list);
        item->setData(kKeysRole, keys);
        item->setData(Qt::UserRole, action->objectName());
        item->setSizeHint(QSize(0, 30));
        if (!action->isEnabled()) {
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
        }
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::perform()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (item == nullptr) {
        return;
    }
    const QString name = item->data(Qt::UserRole).toString();
    const auto action =
        std::find_if(m_actions.begin(), m_actions.end(), [&](const Action* a) { return a->objectName() == name; });
    close();
    if (action != m_actions.end()) {
        (*action)->trigger();
    }
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_words && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int row = m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1);
            m_list->setCurrentRow(std::clamp(row, 0, m_list->count() - 1));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace ondo
