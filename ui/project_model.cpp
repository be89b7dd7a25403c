#include "ui/project_model.h"

#include "ui/edits/project_edit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

bool sameSamples(const Model& a, const Model& b)
{
    return a.velocity().values == b.velocity().values && a.grid() == b.grid() && a.name() == b.name();
}

bool near(const Position& a, const Position& b, double tolerance)
{
    return std::abs(a.x - b.x) <= tolerance && std::abs(a.y - b.y) <= tolerance && std::abs(a.z - b.z) <= tolerance;
}

} // namespace

ProjectModel::ProjectModel(QObject* parent)
    : QObject(parent)
{
    m_run.survey.shots.emplace_back();
}

ProjectModel::~ProjectModel() = default;

const Shot& ProjectModel::shot() const
{
    static const Shot kNone;
    const auto& shots = m_run.survey.shots;
    return shots.empty() ? kNone : shots[static_cast<std::size_t>(m_shotIndex)];
}

void ProjectModel::push(const QString& text, ProjectState after, int gesture)
{
    ProjectState before{m_run, m_model};
    if (after.filePath) {
        before.filePath = m_filePath;
    }
    m_undoStack.push(new ProjectEdit(text, std::move(before), std::move(after), gesture,
                                     [this](const ProjectState& state) { apply(state); }));
}

void ProjectModel::apply(const ProjectState& state)
{
    const bool otherModel = !sameSamples(state.model, m_model);
    m_run = state.run;
    m_model = state.model;
    m_filePath = state.filePath.value_or(m_filePath);
    m_shotIndex = std::clamp(m_shotIndex, 0, std::max(0, static_cast<int>(m_run.survey.shots.size()) - 1));
    if (otherModel) {
        if (m_probe && !m_model.grid().contains(*m_probe)) {
            m_probe.reset();
            emit probeChanged();
        }
        emit modelChanged();
    }
    emit runChanged();
    if (state.filePath) {
        emit fileChanged();
    }
}

void ProjectModel::editRun(const QString& text, const RunDescription& changed, int gesture)
{
    if (!(changed == m_run)) {
        push(text, {changed, m_model}, gesture);
    }
}

void ProjectModel::editShot(const QString& text, const Shot& changed, int gesture)
{
    RunDescription run = m_run;
    if (run.survey.shots.empty()) {
        run.survey.shots.emplace_back();
    }
    run.survey.shots[static_cast<std::size_t>(m_shotIndex)] = changed;
    editRun(text, run, gesture);
}

void ProjectModel::moveSource(int index, const Position& position, int gesture)
{
    Shot changed = shot();
    if (index < 0 || index >= static_cast<int>(changed.sources.size())) {
        return;
    }
    changed.sources[static_cast<std::size_t>(index)].position = position;
    editShot(tr("Move the source"), changed, gesture);
}

void ProjectModel::setProbe(std::optional<Position> position)
{
    if (position != m_probe) {
        m_probe = position;
        emit probeChanged();
    }
}

void ProjectModel::open(const QString& text, const Model& model, const RunDescription& run, const QString& filePath)
{
    m_shotIndex = 0;
    push(text, {run, model, filePath}, -1);
    m_undoStack.setClean();
    emit fileChanged();
}

void ProjectModel::setDevice(const std::string& id)
{
    m_run.device = id;
    emit runChanged();
}

void ProjectModel::setFilePath(const QString& path)
{
    m_filePath = path;
    m_undoStack.setClean();
    emit fileChanged();
}

void ProjectModel::setView(const ViewSettings& view)
{
    if (!(view == m_view)) {
        m_view = view;
        emit viewChanged();
    }
}

void ProjectModel::setShotIndex(int index)
{
    const int last = std::max(0, static_cast<int>(m_run.survey.shots.size()) - 1);
    if (std::clamp(index, 0, last) != m_shotIndex) {
        m_shotIndex = std::clamp(index, 0, last);
        emit runChanged();
    }
}

void ProjectModel::tell(const Notice& notice)
{
    emit noticed(notice);
}

std::optional<ReceiverLine> asLine(const std::vector<Receiver>& receivers)
{
    if (receivers.empty()) {
        return ReceiverLine{};
    }
    const ReceiverLine line{receivers.front().position, receivers.back().position, static_cast<int>(receivers.size())};
    const double length =
        std::hypot(line.last.x - line.first.x, line.last.y - line.first.y, line.last.z - line.first.z);
    const std::vector<Receiver> ideal = receiverLine(line.first, line.last, line.count);
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        if (!near(ideal[i].position, receivers[i].position, 1e-6 * (1.0 + length))) {
            return std::nullopt;
        }
    }
    return line;
}

} // namespace ondo
