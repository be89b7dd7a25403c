// The model: where it came from, its grid and values, and what happens at its faces.
#pragma once

#include "engine/grid/boundary.h"
#include "ui/forms/form.h"

#include <array>

namespace ondo {

class ProjectModel;

class ModelPanel : public QWidget {
public:
    ModelPanel(ProjectModel& project, std::function<void()> openModel, QWidget* parent = nullptr);

private:
    void addFaces();
    void setFace(Face face, int condition);
    void editBoundary(const QString& text, const std::function<void(Boundary&)>& change);
    void showModel();
    void showRun();

    ProjectModel& m_project;
    Form* m_form;
    QLabel* m_name;
    QLabel* m_grid;
    QLabel* m_spacing;
    QLabel* m_range;
    std::array<Choice*, 6> m_faces{};
    QuantityEdit* m_layer = nullptr;
};

} // namespace ondo
