// Runs the built `ondo` in a folder of its own, as a person would.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStringList>
#include <QTemporaryDir>

#include <memory>
#include <vector>

struct Outcome {
    int code = -1; // -1: it crashed or did not end
    QByteArray out, err;
    [[nodiscard]] QByteArray all() const { return "code " + QByteArray::number(code) + "\n" + out + err; }
};

class Workshop {
public:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] bool has(const QString& name) const { return QFile::exists(path(name)); }
    [[nodiscard]] QStringList files() const;
    [[nodiscard]] QByteArray bytes(const QString& name) const;
    void write(const QString& name, const QByteArray& bytes) const;
    void writeModel(const QString& name, int nz, int nx) const; // .npy, float32, a few layers

    // `removed`: environment variables to take away.
    [[nodiscard]] std::unique_ptr<QProcess> start(const QStringList& arguments, const QStringList& removed = {}) const;
    [[nodiscard]] Outcome finish(QProcess& process, int milliseconds = 120000) const;
    [[nodiscard]] Outcome ondo(const QStringList& arguments, const QStringList& removed = {}) const;
    // python3 -c SCRIPT in the folder.
    [[nodiscard]] Outcome python(const QByteArray& script) const;
    [[nodiscard]] bool findH5py(); // and the python3 that has it

private:
    QString m_python = "python3";
    QTemporaryDir m_folder;
};
