// One undoable change of the project: the state before and the state after. Values are shared, so both are cheap.
#pragma once

#include "engine/model/model.h"
#include "engine/project/run_description.h"

#include <QString>
#include <QUndoCommand>

#include <functional>
#include <optional>

namespace ondo {

struct ProjectState {
    RunDescription run;
    Model model;
    std::optional<QString> filePath = {}; // the run file it belongs to; none: not touched by this edit
};

// Consecutive edits with the same merge number (>= 0) become one step of the history: one drag, one step.
class ProjectEdit : public QUndoCommand {
public:
    using Apply = std::function<void(const ProjectState&)>;

    ProjectEdit(const QString& text, ProjectState before, ProjectState after, int merge, Apply apply);

    void undo() override;
    void redo() override;
    [[nodiscard]] int id() const override;
    bool mergeWith(const QUndoCommand* other) override;

private:
    ProjectState m_before, m_after;
    int m_merge;
    Apply m_apply;
};

} // namespace ondo
