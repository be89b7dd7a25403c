#include "render/vtk_log.h"

#include "render/gl_scene.h"

#include <vtkLogger.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkSmartPointer.h>

#include <mutex>
#include <utility>

namespace ondo {

namespace {

constexpr std::size_t kMostMessages = 200;

struct Store {
    std::mutex mutex;
    std::vector<std::string> messages;
};

Store& store()
{
    static Store s;
    return s;
}

class QuietOutput : public vtkOutputWindow {
public:
    static QuietOutput* New();
    vtkTypeMacro(QuietOutput, vtkOutputWindow);

    void DisplayText(const char* text) override
    {
        const std::scoped_lock lock(store().mutex);
        if (text != nullptr && store().messages.size() < kMostMessages) {
            store().messages.emplace_back(text);
        }
    }
};
vtkStandardNewMacro(QuietOutput);

} // namespace

void routeVtkMessages()
{
    static const bool done = [] {
        vtkLogger::SetStderrVerbosity(vtkLogger::VERBOSITY_OFF);
        vtkOutputWindow::SetInstance(vtkSmartPointer<QuietOutput>::New());
        return true;
    }();
    static_cast<void>(done);
}

std::vector<std::string> takeVtkMessages()
{
    const std::scoped_lock lock(store().mutex);
    return std::exchange(store().messages, {});
}

} // namespace ondo
