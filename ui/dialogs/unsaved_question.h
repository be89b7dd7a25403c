// What becomes of edits that the run file does not have, when the window closes. Blocks nothing: it calls back.
#pragma once

#include <QString>

#include <functional>

class QWidget;

namespace ondo {

enum class UnsavedAnswer { Save, Discard };

// answered is not called when the window is to stay.
void askUnsaved(QWidget& window, const QString& file, std::function<void(UnsavedAnswer)> answered);

} // namespace ondo
