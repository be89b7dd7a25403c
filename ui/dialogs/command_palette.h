// Every action by name: type a few letters, Enter does it.
#pragma once

#include <QDialog>

#include <vector>

class QLineEdit;
class QListWidget;

namespace ondo {

class Action;
class ActionList;

class CommandPalette : public QDialog {
public:
    CommandPalette(const ActionList& actions, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill(const QString& words);
    void perform();

    std::vector<Action*> m_actions;
    QLineEdit* m_words;
    QListWidget* m_list;
};

// How well a text answers what was typed: 0 not at all; all words must occur, in any order.
[[nodiscard]] int matchScore(const QString& text, const QString& words);

} // namespace ondo
