#include "ui/dialogs/keys_dialog.h"

#include "ui/actions/action_list.h"
#include "ui/forms/form.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ondo {

namespace {

int addRow(QGridLayout& grid, int row, const QString& keys, const QString& text)
{
    auto* key = new QLabel(keys);
    key->setProperty("role", "key");
    grid.addWidget(key, row, 0, Qt::AlignRight | Qt::AlignTop);
    auto* words = new QLabel(text);
    words->setWordWrap(true);
    grid.addWidget(words, row, 1);
    return row + 1;
}

QWidget* columnOf(const std::vector<ActionGroup>& groups, std::size_t from, std::size_t to)
{
    auto* column = new QWidget;
    auto* grid = new QGridLayout(column);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(6);
    int row = 0;
    for (std::size_t i = from; i < to && i < groups.size(); ++i) {
        QString title = groups[i].title;
        title.remove(QLatin1Char('&'));
        auto* head = new QLabel(QStringLiteral("<b>%1</b>").arg(title));
        head->setContentsMargins(0, row == 0 ? 0 : 10, 0, 2);
        grid->addWidget(head, row++, 0, 1, 2);
        for (const Action* action : groups[i].actions) {
            if (action == nullptr || action->shortcuts().isEmpty()) {
                continue;
            }
            QString text = action->statusTip().isEmpty() ? action->text() : action->statusTip();
            row = addRow(*grid, row, action->shortcut().toString(QKeySequence::NativeText),
                         text.remove(QLatin1Char('&')));
        }
    }
    grid->setRowStretch(row, 1);
    grid->setColumnStretch(1, 1);
    return column;
}

} // namespace

KeysDialog::KeysDialog(const ActionList& actions, QWidget* parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("keysDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keys"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 20);
    layout->setSpacing(12);
    auto* title = new QLabel(tr("Keys"), this);
    title->setProperty("role", "title");
    layout->addWidget(title);
    layout->addWidget(
        quietLabel(tr("Single keys act while the picture, the gather or the probe has the focus."), this));
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    auto* both = new QWidget;
    auto* columns = new QHBoxLayout(both);
    columns->setSpacing(32);
    columns->addWidget(columnOf(actions.groups(), 0, 3));
    auto* right = columnOf(actions.groups(), 3, 6);
    columns->addWidget(right);
    area->setWidget(both);
    layout->addWidget(area, 1);
    layout->addWidget(quietLabel(
        tr("Mouse: drag the source, a receiver line or the probe · wheel to zoom · drag the picture to move it · "
           "Tab and arrows do the same without a mouse"),
        this));
    resize(860, 640);
}

} // namespace ondo
