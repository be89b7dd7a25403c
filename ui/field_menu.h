// The menu of a place in the picture: what can be put there or done there. Blocks nothing.
#pragma once

#include "engine/core/position.h"

class QPoint;

namespace ondo {

class FieldView;
class ProjectModel;
class SessionBridge;

void showFieldMenu(ProjectModel& project, SessionBridge& session, FieldView& field, const QPoint& global,
                   const Position& place);

} // namespace ondo
