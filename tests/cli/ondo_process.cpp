#include "ondo_process.h"

#include <QDir>

Outcome Workshop::finish(QProcess& process, int milliseconds) const
{
    Outcome o;
    const bool ended = process.state() == QProcess::NotRunning || process.waitForFinished(milliseconds);
    o.out = process.readAllStandardOutput();
    o.err = process.readAllStandardError();
    if (!ended) {
        process.kill();
        process.waitForFinished();
        o.err += "\n(did not end)";
    } else if (process.exitStatus() == QProcess::NormalExit) {
        o.code = process.exitCode();
    }
    return o;
}

std::unique_ptr<QProcess> Workshop::start(const QStringList& arguments, const QStringList& removed) const
{
    auto process = std::make_unique<QProcess>();
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const auto& name : removed) {
        environment.remove(name);
    }
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(m_folder.path());
    process->start(ONDO_PROGRAM, arguments);
    return process;
}

Outcome Workshop::ondo(const QStringList& arguments, const QStringList& removed) const
{
    const auto process = start(arguments, removed);
    return finish(*process);
}

Outcome Workshop::python(const QByteArray& script) const
{
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.start(m_python, {"-c", QString::fromUtf8(script)});
    return process.waitForStarted() ? finish(process) : Outcome{};
}

bool Workshop::findH5py()
{
    // A person's own python may stand before the system's, which is the one that packages serve.
    for (const char* name : {"python3", "/usr/bin/python3"}) {
        m_python = name;
        if (python("import h5py, numpy").code == 0) {
            return true;
        }
    }
    return false;
}

QStringList Workshop::files() const
{
    return QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden);
}

QByteArray Workshop::bytes(const QString& name) const
{
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void Workshop::write(const QString& name, const QByteArray& bytes) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
        qFatal("cannot write a test's input");
    }
}

void Workshop::writeModel(const QString& name, int nz, int nx) const
{
    QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + QByteArray::number(nz) + ", " +
                        QByteArray::number(nx) + "), }";
    while ((10 + header.size() + 1) % 64 != 0) {
        header += ' ';
    }
    header += '\n';
    QByteArray all("\x93NUMPY\x01\x00", 8);
    all += static_cast<char>(header.size() % 256);
    all += static_cast<char>(header.size() / 256);
    all += header;
    std::vector<float> values;
    for (int z = 0; z < nz; ++z) {
        for (int x = 0; x < nx; ++x) {
            values.push_back(1500.0F + 400.0F * static_cast<float>(4 * z / nz) + 0.5F * static_cast<float>(x));
        }
    }
    all +=
        QByteArray(reinterpret_cast<const char*>(values.data()), static_cast<qsizetype>(values.size() * sizeof(float)));
    write(name, all);
}
