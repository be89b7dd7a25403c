// FileDesk: what leaves the program as files of others.
#include "ui/file_desk.h"

#include "engine/io/gather_writer.h"
#include "engine/io/png_writer.h"
#include "engine/io/result_writer.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QImage>

namespace ondo {

void FileDesk::exportPicture()
{
    if (!m_grab) {
        return;
    }
    // As it is now: the run goes on behind the dialog.
    const QImage image = m_grab().convertToFormat(QImage::Format_RGBA8888);
    const QString path = askNewFile(tr("Export the picture"), QStringLiteral("section.png"), {tr("PNG (*.png)")});
    if (path.isEmpty()) {
        return;
    }
    write(path, [image, file = toEngine(path)] {
        Picture picture;
        picture.width = image.width();
        picture.height = image.height();
        picture.channels = 4;
        picture.pixels = {image.constBits(), static_cast<std::size_t>(image.sizeInBytes())};
        return writePng(file, picture);
    });
}

void FileDesk::exportGather()
{
    const auto gather = m_session.gather();
    if (gather == nullptr) {
        return;
    }
    const QString path = askNewFile(tr("Export the gather"), QStringLiteral("gather.sgy"),
                                    {tr("SEG-Y (*.sgy *.segy)"), tr("NumPy (*.npy)")});
    if (!path.isEmpty()) {
        write(path, [gather, file = toEngine(path), title = m_project.run().title] {
            return writeGathers(file, {gather.get(), 1}, title);
        });
    }
}

void FileDesk::exportResults()
{
    const auto gather = m_session.gather();
    const auto plan = m_session.runningPlan();
    if (gather == nullptr || plan == nullptr) {
        return;
    }
    const auto field = m_session.lastField();
    const QString path = askNewFile(tr("Export the results"), QStringLiteral("results.h5"), {tr("HDF5 (*.h5)")});
    if (path.isEmpty()) {
        return;
    }
    write(path, [gather, plan, field, file = toEngine(path)] {
        RunResult result;
        result.model = plan->model;
        result.description = plan->run;
        result.gathers = {*gather};
        result.complete = gather->recorded == gather->samples;
        result.device = plan->device.name;
        result.planText = plan->describe();
        if (field != nullptr) {
            result.field = LastField{field->values, field->nz, field->ny, field->nx, field->step, field->time};
        }
        return writeResults(file, result);
    });
}

} // namespace ondo
