#include "ui/program.h"

#include <QApplication>
#include <QSettings>
#include <QSurfaceFormat>
#include <QTemporaryDir>

namespace ondo {

void prepareProgram()
{
    QSurfaceFormat format;
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    format.setStencilBufferSize(8);
    format.setSamples(0);
    QSurfaceFormat::setDefaultFormat(format);
    QApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
}

void nameProgram()
{
    QApplication::setOrganizationName(QStringLiteral("Ondoscope"));
    QApplication::setApplicationName(QStringLiteral("ondoscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Ondoscope"));
    QApplication::setApplicationVersion(QStringLiteral(ONDO_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("ondoscope"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
}

void applySettings(const ProgramSettings& settings)
{
    if (settings.fresh) {
        // Kept until the process ends; QSettings holds on to the path.
        static const QTemporaryDir folder;
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
    }
}

} // namespace ondo
