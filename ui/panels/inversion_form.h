// The settings of an inversion, a row a key of the [inversion] section, made from the table of keys: what the key takes says
// what its field is. A value that the key does not take is told beside it and not taken over. UI thread.
#pragma once

#include "ui/forms/form.h"

#include <QWidget>

#include <map>
#include <string>

class QLineEdit;

namespace ondo {

class InversionRun;

class InversionForm : public QWidget {
public:
    InversionForm(InversionRun& run, QWidget* parent);
    void showValues();

private:
    [[nodiscard]] QWidget* field(const std::string& name, const std::string& type, const QString& unit);
    void addMemory(Form& form);
    void offer(const std::string& key, const std::string& value); // refused: told

    InversionRun& m_run;
    std::map<std::string, Choice*> m_choices;
    std::map<std::string, TickBox*> m_ticks;
    std::map<std::string, QLineEdit*> m_texts;
    Choice* m_mode = nullptr;
    Choice* m_storage = nullptr;
    QLabel* m_refused = nullptr;
};

} // namespace ondo
