#include "ui/panels/model_panel.h"

#include "ui/project_model.h"
#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace ondo {

ModelPanel::ModelPanel(ProjectModel& project, std::function<void()> openModel, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_form(new Form(this))
{
    setObjectName(QStringLiteral("modelPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);

    auto* file = new QWidget(this);
    auto* fileRow = new QHBoxLayout(file);
    fileRow->setContentsMargins(0, 0, 0, 0);
    m_name = new QLabel(file);
    m_name->setObjectName(QStringLiteral("modelName"));
    m_name->setAccessibleName(tr("Model"));
    m_name->setTextFormat(Qt::PlainText);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* open = new QToolButton(file);
    open->setObjectName(QStringLiteral("modelOpen"));
    open->setIcon(themedIcon(QStringLiteral("open")));
    open->setToolTip(tr("Open another model"));
    open->setAccessibleName(tr("Open another model"));
    connect(open, &QToolButton::clicked, this, [openModel = std::move(openModel)] { openModel(); });
    fileRow->addWidget(m_name, 1);
    fileRow->addWidget(open);
    m_form->row(tr("File"), file);
    m_grid = m_form->readOut(tr("Nodes"), QStringLiteral("modelNodes"));
    m_spacing = m_form->readOut(tr("Size"), QStringLiteral("modelSize"));
    m_range = m_form->readOut(tr("Velocity"), QStringLiteral("modelVelocity"));
    addFaces();
    connect(&m_project, &ProjectModel::modelChanged, this, &ModelPanel::showModel);
    connect(&m_project, &ProjectModel::runChanged, this, &ModelPanel::showRun);
    showModel();
    showRun();
}

void ModelPanel::addFaces()
{
    const QStringList conditions = {tr("Absorbing"), tr("Free"), tr("Rigid")};
    const auto face = [&](Face at, const QString& name, const QString& tip) {
        auto* choice = new Choice(
            name, conditions, [this, at](int index) { setFace(at, index); }, this);
        choice->setAccessibleName(tip);
        choice->setToolTip(tip);
        m_faces[static_cast<std::size_t>(at)] = choice;
        return choice;
    };
    m_form->pair(tr("Top, bottom"), face(Face::ZLow, QStringLiteral("faceTop"), tr("Condition at the top")),
                 face(Face::ZHigh, QStringLiteral("faceBottom"), tr("Condition at the bottom")));
    m_form->pair(tr("Left, right"), face(Face::XLow, QStringLiteral("faceLeft"), tr("Condition at the left")),
                 face(Face::XHigh, QStringLiteral("faceRight"), tr("Condition at the right")));
    m_form->pair(tr("Front, back"), face(Face::YLow, QStringLiteral("faceFront"), tr("Condition at the front")),
                 face(Face::YHigh, QStringLiteral("faceBack"), tr("Condition at the back")));
    m_layer = new QuantityEdit(
        QStringLiteral("layerCells"), {tr("cells"), 0.0, 200.0, 0, 1.0, {}},
        [this](double cells) {
            editBoundary(tr("Width of the absorbing layers"),
                         [cells](Boundary& boundary) { boundary.layerCells = static_cast<int>(cells); });
        },
        this);
    m_form->row(tr("Layer width"), m_layer);
}

void ModelPanel::setFace(Face face, int condition)
{
    editBoundary(tr("Condition at a face"),
                 [=](Boundary& boundary) { boundary.at(face) = static_cast<FaceCondition>(condition); });
}

void ModelPanel::editBoundary(const QString& text, const std::function<void(Boundary&)>& change)
{
    RunDescription run = m_project.run();
    change(run.boundary);
    m_project.editRun(text, run);
}

void ModelPanel::showModel()
{
    const Model& model = m_project.model();
    const Grid& grid = model.grid();
    const bool deep = m_project.threeDimensional();
    const QString path = fromEngine(m_project.run().model.path);
    m_form->setRowVisible(m_faces[2]->parentWidget(), deep);
    m_name->setToolTip(path);
    if (model.empty()) {
        for (QLabel* value : {m_name, m_grid, m_spacing, m_range}) {
            value->setText(QStringLiteral("–"));
        }
        return;
    }
    m_name->setText(path.isEmpty() ? tr("Built-in structure") : QFileInfo(path).fileName());
    m_grid->setText(deep ? tr("%1 × %2 × %3 (x, y, z)").arg(grid.nx).arg(grid.ny).arg(grid.nz)
                         : tr("%1 × %2 (x, z)").arg(grid.nx).arg(grid.nz));
    const QString spacing = deep ? tr("every %1 × %2 × %3 m").arg(grid.dx).arg(grid.dy).arg(grid.dz)
                                 : tr("every %1 × %2 m").arg(grid.dx).arg(grid.dz);
    m_spacing->setText(
        deep ? tr("%1 × %2 × %3, %4")
                   .arg(lengthText(grid.lengthX()), lengthText(grid.lengthY()), lengthText(grid.lengthZ()), spacing)
             : tr("%1 × %2, %3").arg(lengthText(grid.lengthX()), lengthText(grid.lengthZ()), spacing));
    const ValueRange range = model.range();
    m_range->setText(tr("%1 to %2 m/s").arg(range.low, 0, 'f', 0).arg(range.high, 0, 'f', 0));
}

void ModelPanel::showRun()
{
    const Boundary& boundary = m_project.run().boundary;
    for (std::size_t i = 0; i < m_faces.size(); ++i) {
        m_faces[i]->set(static_cast<int>(boundary.faces[i]));
    }
    m_layer->set(boundary.layerCells);
}

} // namespace ondo
