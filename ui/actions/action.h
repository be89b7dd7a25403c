// One thing a person can do: its words, icon, keys, what it does and when it can be done. The same object stands in the
// menu, on the tool bar, in the palette and in the list of keys.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QList>
#include <QString>

#include <functional>

namespace ondo {

// Keys of View actions (single letters) act only while one of the views has the focus: never in a text field.
enum class KeyScope { Window, View };

class Action : public QAction {
public:
    struct Spec {
        QString name; // objectName
        QString text;
        QString icon;
        QList<QKeySequence> keys;
        KeyScope scope = KeyScope::Window;
        std::function<void()> perform;
        std::function<void(Action&)> refresh = {}; // enabled, checked, words: after anything changed
        QString tip = {};
    };

    Action(Spec spec, QObject* parent);
    void refresh();
    [[nodiscard]] KeyScope scope() const { return m_scope; }
    void setIconName(const QString& name); // of resources/icons
    [[nodiscard]] const QString& iconName() const { return m_iconName; }
    void setTip(const QString& tip); // the tool tip, with the key behind it

private:
    KeyScope m_scope;
    QString m_iconName;
    std::function<void(Action&)> m_refresh;
};

} // namespace ondo
