#include "ui/panels/inversion_form.h"

#include "engine/io/inversion_keys.h"
#include "ui/inversion/inversion_run.h"
#include "ui/text.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace ondo {

namespace {

// "one of l2, huber, envelope": the words.
QStringList wordsOf(const std::string& type)
{
    static const QString kOneOf = QStringLiteral("one of ");
    const QString text = fromEngine(type);
    return text.startsWith(kOneOf) ? text.mid(kOneOf.size()).split(QStringLiteral(", ")) : QStringList();
}

QString plain(const std::string& value)
{
    return fromEngine(value).remove(QLatin1Char('"'));
}

// The rows by what they are about; keys that are in none stand in the last.
struct Part {
    const char* name;
    const char* title;
    std::vector<std::string> keys;
};

const std::vector<Part>& parts()
{
    static const std::vector<Part> all = {
        {"inversionStages",
         QT_TRANSLATE_NOOP("InversionForm", "Stages and misfit"),
         {"iterations", "low_pass", "misfit", "source_scale", "source_filter", "source_water"}},
        {"inversionBounds",
         QT_TRANSLATE_NOOP("InversionForm", "Bounds and shape"),
         {"parameters", "slowest", "fastest", "second_low", "second_high", "fixed_depth", "fixed_speed", "smoothing",
          "illumination", "water", "tikhonov", "total_variation", "second_tikhonov", "second_total_variation",
          "total_variation_epsilon"}},
        {"inversionSteps",
         QT_TRANSLATE_NOOP("InversionForm", "Optimiser"),
         {"optimiser", "memory", "first_step", "largest_step", "trials", "shots_per_iteration", "encoded_shots",
          "seed"}},
        {"inversionWindows", QT_TRANSLATE_NOOP("InversionForm", "Windows, mutes and the rest"), {}},
    };
    return all;
}

std::size_t partOf(const std::string& key)
{
    for (std::size_t i = 0; i + 1 < parts().size(); ++i) {
        const auto& keys = parts()[i].keys;
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
            return i;
        }
    }
    return parts().size() - 1;
}

} // namespace

InversionForm::InversionForm(InversionRun& run, QWidget* parent)
    : QWidget(parent)
    , m_run(run)
{
    setObjectName(QStringLiteral("inversionForm"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    m_refused = new QLabel(this);
    m_refused->setObjectName(QStringLiteral("inversionRefused"));
    m_refused->setWordWrap(true);
    m_refused->setContentsMargins(kGap, 0, kGap, 0);
    m_refused->hide();
    setTone(m_refused, "bad");
    std::vector<Form*> forms;
    for (std::size_t i = 0; i < parts().size(); ++i) {
        forms.push_back(new Form(this));
    }
    for (const InversionKey& key : inversionKeys()) {
        QWidget* row = field(key.name, key.type, fromEngine(key.unit));
        row->setToolTip(QStringLiteral("%1 (%2)").arg(fromEngine(key.meaning), fromEngine(key.type)));
        Form& form = *forms[partOf(key.name)];
        QString label = fromEngine(key.name).replace(QLatin1Char('_'), QLatin1Char(' '));
        label[0] = label[0].toUpper();
        if (m_ticks.count(key.name) != 0) {
            m_ticks[key.name]->setText(label);
            form.wide(row);
        } else {
            form.row(label, row);
        }
    }
    for (std::size_t i = 0; i < forms.size(); ++i) {
        auto* section = new Section(QLatin1String(parts()[i].name), tr(parts()[i].title), forms[i], this);
        section->setOpen(i == 0);
        layout->addWidget(section);
        if (i == 0) {
            layout->addWidget(m_refused);
        }
    }
    auto* memory = new Form(this);
    addMemory(*memory);
    auto* section = new Section(QStringLiteral("inversionMemory"), tr("Memory mode"), memory, this);
    section->setOpen(false);
    layout->addWidget(section);
    connect(&m_run, &InversionRun::orderChanged, this, &InversionForm::showValues);
    showValues();
}

QWidget* InversionForm::field(const std::string& name, const std::string& type, const QString& unit)
{
    const QString object = QStringLiteral("inversion_") + fromEngine(name);
    if (const QStringList words = wordsOf(type); !words.isEmpty()) {
        m_choices[name] = new Choice(
            object, words, [this, name, words](int index) { offer(name, "\"" + toEngine(words[index]) + "\""); }, this);
        return m_choices[name];
    }
    if (type == "true or false") {
        m_ticks[name] = new TickBox(
            object, fromEngine(name), [this, name](bool on) { offer(name, on ? "true" : "false"); }, this);
        return m_ticks[name];
    }
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* edit = new QLineEdit(row);
    edit->setObjectName(object);
    edit->setMinimumWidth(60);
    edit->setPlaceholderText(fromEngine(kChosen));
    connect(edit, &QLineEdit::editingFinished, this, [this, name, edit] {
        offer(name, edit->text().trimmed().isEmpty() ? std::string(kChosen) : toEngine(edit->text().trimmed()));
    });
    layout->addWidget(edit, 1);
    auto* text = quietLabel(unit, row);
    text->setMinimumWidth(text->fontMetrics().horizontalAdvance(QStringLiteral("m/s")) + 2);
    layout->addWidget(text);
    row->setFocusProxy(edit);
    m_texts[name] = edit;
    return row;
}

void InversionForm::addMemory(Form& form)
{
    const auto choose = [this](int) {
        TapeOptions tape = m_run.tape();
        const TapeKind& kind = tapeKinds()[static_cast<std::size_t>(std::max(0, m_mode->currentIndex()))];
        tape.mode = kind.name;
        tape.storage = kind.stored
                           ? storageKinds()[static_cast<std::size_t>(std::max(0, m_storage->currentIndex()))].storage
                           : Storage::Exact;
        m_run.setTape(tape);
    };
    m_mode = new Choice(QStringLiteral("inversionMode"), {}, choose, this);
    for (const TapeKind& kind : tapeKinds()) {
        m_mode->addItem(fromEngine(kind.name));
        m_mode->setItemData(m_mode->count() - 1, fromEngine(kind.summary), Qt::ToolTipRole);
    }
    form.row(tr("Mode"), m_mode);
    m_storage = new Choice(QStringLiteral("inversionStorage"), {}, choose, this);
    for (const StorageKind& kind : storageKinds()) {
        m_storage->addItem(fromEngine(kind.name));
    }
    form.row(tr("Stored as"), m_storage);
}

void InversionForm::offer(const std::string& key, const std::string& value)
{
    if (value != kChosen) {
        const std::vector<std::string> one = {"inversion." + key + "=" + value};
        if (const auto taken = readInversionSettings({}, one); !taken) {
            m_refused->setText(noticeOf(taken.error()).text + QStringLiteral(": ") + noticeOf(taken.error()).remedy);
            m_refused->show();
            return;
        }
    }
    m_refused->hide();
    m_run.setValue(key, value);
}

void InversionForm::showValues()
{
    for (const auto& [key, value] : m_run.values()) {
        if (const auto choice = m_choices.find(key); choice != m_choices.end()) {
            choice->second->set(choice->second->findText(plain(value)));
        } else if (const auto tick = m_ticks.find(key); tick != m_ticks.end()) {
            tick->second->set(value == "true");
        } else if (const auto text = m_texts.find(key); text != m_texts.end()) {
            QLineEdit& edit = *text->second;
            if (!edit.hasFocus() || !edit.isModified()) { // left alone while the user types in it
                edit.setText(value == kChosen ? QString() : fromEngine(value));
            }
        }
    }
    const auto& kinds = tapeKinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const TapeKind& k) { return k.name == m_run.tape().mode; });
    m_mode->set(static_cast<int>(kind - kinds.begin()));
    m_storage->setCurrentText(fromEngine(storageName(m_run.tape().storage)));
    m_storage->setEnabled(kind != kinds.end() && kind->stored);
}

} // namespace ondo
