// A dock with a quiet title of its own: a name, a button to float it, one to close it.
#pragma once

#include <QDockWidget>

namespace ondo {

class Dock : public QDockWidget {
public:
    enum class Scroll { Never, Needed };
    Dock(const QString& name, const QString& title, QWidget* content, Scroll scroll, QWidget* parent);
};

} // namespace ondo
