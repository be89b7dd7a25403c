#include "tests/io/case_catalogue.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QHash>

QString casesFolder()
{
    const QStringList places = {qEnvironmentVariable("ONDO_CASES"), QStringLiteral(ONDO_SOURCE_DIR "/../shared/cases"),
                                QStringLiteral(ONDO_SOURCE_DIR "/shared/cases"),
                                QStringLiteral(ONDO_SOURCE_DIR "/../../shared/cases")};
    for (const auto& place : places) {
        if (!place.isEmpty() && QFileInfo::exists(place + "/MANIFEST.tsv")) {
            return QDir(place).absolutePath();
        }
    }
    return {};
}

std::vector<CaseRow> caseRows(const QString& folder)
{
    QHash<QString, QString> readings; // by sha256
    QFile catalogue(folder + "/CATALOGUE.md");
    if (catalogue.open(QIODevice::ReadOnly)) {
        const QStringList lines = QString::fromUtf8(catalogue.readAll()).split('\n');
        for (const QString& line : lines) {
            const QStringList cells = line.split(" | ");
            if (line.startsWith("| `") && cells.size() >= 5) {
                QString sha = cells[2];
                QString reading = QStringList(cells.mid(4)).join(" | ");
                readings.insert(sha.remove('`').trimmed(), reading.remove(QStringLiteral(" |")).trimmed());
            }
        }
    }
    std::vector<CaseRow> rows;
    QFile manifest(folder + "/MANIFEST.tsv");
    if (manifest.open(QIODevice::ReadOnly)) {
        const QStringList lines = QString::fromUtf8(manifest.readAll()).split('\n');
        for (const QString& line : lines.mid(1)) {
            const QStringList cells = line.split('\t');
            if (cells.size() >= 3) {
                rows.push_back({cells[0], readings.value(cells[2])});
            }
        }
    }
    return rows;
}
