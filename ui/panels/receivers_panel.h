// The receivers as a line: first, last, how many, how deep.
#pragma once

#include "ui/forms/form.h"

namespace ondo {

class ProjectModel;

class ReceiversPanel : public QWidget {
public:
    explicit ReceiversPanel(ProjectModel& project, QWidget* parent = nullptr);

private:
    void edit();
    void showRun();

    ProjectModel& m_project;
    Form* m_form;
    QuantityEdit *m_firstX = nullptr, *m_lastX = nullptr, *m_firstY = nullptr, *m_lastY = nullptr, *m_depth = nullptr;
    QuantityEdit* m_count = nullptr;
    QLabel* m_note = nullptr;
};

} // namespace ondo
