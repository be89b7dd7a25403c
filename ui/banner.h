// A message over the picture: what happened and what to do. Goes by itself when it was only news; never asks.
#pragma once

#include "ui/notice.h"

#include <QFrame>
#include <QTimer>

class QLabel;

namespace ondo {

class ProjectModel;

class Banner : public QFrame {
public:
    // Lies at the top of `over` and follows its size.
    Banner(ProjectModel& project, QWidget& over);
    void show(const Notice& notice);
    void dismiss();
    [[nodiscard]] QString text() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();

    QWidget& m_over;
    QLabel* m_icon;
    QLabel* m_text;
    QLabel* m_remedy;
    QTimer m_timer;
};

} // namespace ondo
