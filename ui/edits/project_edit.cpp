#include "ui/edits/project_edit.h"

#include <utility>

namespace ondo {

ProjectEdit::ProjectEdit(const QString& text, ProjectState before, ProjectState after, int merge, Apply apply)
    : QUndoCommand(text)
    , m_before(std::move(before))
    , m_after(std::move(after))
    , m_merge(merge)
    , m_apply(std::move(apply))
{
}

void ProjectEdit::undo()
{
    m_apply(m_before);
}

void ProjectEdit::redo()
{
    m_apply(m_after);
}

int ProjectEdit::id() const
{
    return m_merge;
}

bool ProjectEdit::mergeWith(const QUndoCommand* other)
{
    m_after = static_cast<const ProjectEdit*>(other)->m_after; // the same id: the same class
    return true;
}

} // namespace ondo
