// How a file is to be read that does not say it all: node spacing, order of the axes, unit, and for raw binary the counts
// and the type. Blocks nothing: it calls back with what was typed.
#pragma once

#include "engine/core/error.h"
#include "engine/project/run_description.h"

#include <functional>

class QWidget;

namespace ondo {

// why: what reading it said was missing. answered is not called when the file is left alone.
void askHowToRead(QWidget& window, const ModelSource& source, const Error& why,
                  std::function<void(const ModelSource&)> answered);

} // namespace ondo
