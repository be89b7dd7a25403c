// main() of a test that opens real windows: the same surface format and sharing as the program.
#pragma once

#include <QApplication>
#include <QSurfaceFormat>
#include <QTest>

#include <cstdio>

namespace ondo {

template<class Test>
int runGuiTest(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("DISPLAY")) {
        std::puts("SKIP   : GuiTest::initTestCase() no display");
        return 0;
    }
    QSurfaceFormat format;
    format.setRenderableType(QSurfaceFormat::OpenGL);
    format.setVersion(3, 2);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    format.setStencilBufferSize(8);
    format.setSamples(0);
    QSurfaceFormat::setDefaultFormat(format);
    QCoreApplication::setAttribute(Qt::AA_ShareOpenGLContexts);
    const QApplication app(argc, argv);
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace ondo
