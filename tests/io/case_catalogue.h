// The rows of the real-file catalogue beside the project: which files there are and how each reads.
#pragma once

#include <QString>
#include <QStringList>

#include <vector>

struct CaseRow {
    QString file;    // relative to the folder
    QString reading; // the catalogue's last column; empty when it only lists the file
};

// The folder of cases: $ONDO_CASES, else ../shared/cases beside the project; empty when there is none.
[[nodiscard]] QString casesFolder();
[[nodiscard]] std::vector<CaseRow> caseRows(const QString& folder);
