#include "ui/dialogs/read_dialog.h"

#include "ui/forms/form.h"
#include "ui/text.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <optional>
#include <utility>

namespace ondo {

namespace {

class ReadDialog : public QDialog {
public:
    ReadDialog(QWidget& window, ModelSource source, const Error& why, std::function<void(const ModelSource&)> answered);

private:
    QuantityEdit* length(const QString& label, const QString& name, const std::optional<double>& value);
    QuantityEdit* count(const QString& label, const QString& name, const std::optional<int>& value);
    Choice* words(const QString& label, const QString& name, const QStringList& entries, const std::string& value);
    void addMissing();
    void addRaw();
    [[nodiscard]] ModelSource typed() const;

    ModelSource m_source;
    Form* m_form;
    QuantityEdit *m_dx, *m_dy, *m_dz, *m_nx, *m_ny, *m_nz;
    Choice *m_axes, *m_unit, *m_type, *m_order;
    QLineEdit* m_dataset;
};

// The first entry stands for nothing said.
std::string chosen(const Choice& choice)
{
    return choice.currentIndex() <= 0 ? std::string() : toEngine(choice.currentText());
}

template<class Number>
std::optional<Number> given(const QuantityEdit& edit)
{
    return edit.value() > 0.0 ? std::optional<Number>(static_cast<Number>(edit.value())) : std::nullopt;
}

ReadDialog::ReadDialog(QWidget& window, ModelSource source, const Error& why,
                       std::function<void(const ModelSource&)> answered)
    : QDialog(&window)
    , m_source(std::move(source))
    , m_form(new Form(this))
{
    setObjectName(QStringLiteral("readDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Open a model"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 20, 24, 20);
    layout->setSpacing(12);
    auto* title = new QLabel(tr("How is %1 to be read?").arg(QFileInfo(fromEngine(m_source.path)).fileName()), this);
    title->setProperty("role", "title");
    title->setTextFormat(Qt::PlainText); // a file's name may look like markup
    layout->addWidget(title);
    // The file is named above; its path would only push the reason out of sight.
    QString reason = noticeOf(why).text;
    reason.remove(fromEngine(m_source.path) + QStringLiteral(": "));
    auto* said = quietLabel(reason.left(1).toUpper() + reason.mid(1), this);
    said->setObjectName(QStringLiteral("readReason"));
    said->setWordWrap(true);
    layout->addWidget(said);
    m_form->layout()->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    addMissing();
    addRaw();
    layout->addStretch(1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Open)->setDefault(true);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this, answered = std::move(answered)] {
        const ModelSource hinted = typed();
        accept();
        answered(hinted);
    });
    layout->addWidget(buttons);
    setMinimumWidth(460);
    m_dx->setFocus();
    m_dx->selectAll();
}

void ReadDialog::addMissing()
{
    m_dx = length(tr("Spacing x"), QStringLiteral("readDx"), m_source.dx);
    m_dz = length(tr("Spacing z"), QStringLiteral("readDz"), m_source.dz);
    m_dy = length(tr("Spacing y"), QStringLiteral("readDy"), m_source.dy);
    m_dy->setToolTip(tr("Only for three dimensions"));
    m_axes = words(tr("Axes"), QStringLiteral("readAxes"),
                   {tr("as the file says, or by custom"), QStringLiteral("zx"), QStringLiteral("xz"),
                    QStringLiteral("zyx"), QStringLiteral("xyz"), QStringLiteral("yxz"), QStringLiteral("zxy")},
                   m_source.axes);
    m_axes->setToolTip(tr("Order in the file, slowest first. zx: row after row, the top row first"));
    m_unit = words(tr("Unit"), QStringLiteral("readUnit"),
                   {tr("as the values suggest"), QStringLiteral("m/s"), QStringLiteral("km/s"), QStringLiteral("ft/s")},
                   m_source.unit);
    m_dataset = new QLineEdit(fromEngine(m_source.dataset), this);
    m_dataset->setObjectName(QStringLiteral("readDataset"));
    m_dataset->setPlaceholderText(tr("the only one, or the one named velocity"));
    m_form->row(tr("Dataset"), m_dataset);
}

void ReadDialog::addRaw()
{
    m_form->wide(quietLabel(tr("Raw binary, without a header, needs these too:"), this));
    m_nx = count(tr("Nodes x"), QStringLiteral("readNx"), m_source.nx);
    m_nz = count(tr("Nodes z"), QStringLiteral("readNz"), m_source.nz);
    m_ny = count(tr("Nodes y"), QStringLiteral("readNy"), m_source.ny);
    m_ny->setToolTip(tr("Only for three dimensions"));
    m_type =
        words(tr("Type"), QStringLiteral("readType"),
              {tr("as the file says, or float32"), QStringLiteral("float32"), QStringLiteral("float64"),
               QStringLiteral("int16"), QStringLiteral("uint16"), QStringLiteral("int32"), QStringLiteral("uint8")},
              m_source.sampleType);
    m_order =
        words(tr("Byte order"), QStringLiteral("readOrder"),
              {tr("as the file says, or little"), QStringLiteral("little"), QStringLiteral("big")}, m_source.byteOrder);
}

QuantityEdit* ReadDialog::length(const QString& label, const QString& name, const std::optional<double>& value)
{
    auto* edit = new QuantityEdit(
        name, {tr("m"), 0.0, 1e6, 4, 0.0, tr("as the file says")}, [](double) {}, this);
    edit->set(value.value_or(0.0));
    m_form->row(label, edit);
    return edit;
}

QuantityEdit* ReadDialog::count(const QString& label, const QString& name, const std::optional<int>& value)
{
    auto* edit = new QuantityEdit(
        name, {{}, 0.0, 1e9, 0, 1.0, tr("as the file says")}, [](double) {}, this);
    edit->set(value.value_or(0));
    m_form->row(label, edit);
    return edit;
}

Choice* ReadDialog::words(const QString& label, const QString& name, const QStringList& entries,
                          const std::string& value)
{
    auto* choice = new Choice(
        name, entries, [](int) {}, this);
    choice->set(std::max(0, choice->findText(fromEngine(value))));
    m_form->row(label, choice);
    return choice;
}

ModelSource ReadDialog::typed() const
{
    ModelSource source = m_source;
    source.dx = given<double>(*m_dx);
    source.dy = given<double>(*m_dy);
    source.dz = given<double>(*m_dz);
    source.nx = given<int>(*m_nx);
    source.ny = given<int>(*m_ny);
    source.nz = given<int>(*m_nz);
    source.axes = chosen(*m_axes);
    source.unit = chosen(*m_unit);
    source.sampleType = chosen(*m_type);
    source.byteOrder = chosen(*m_order);
    source.dataset = toEngine(m_dataset->text());
    return source;
}

} // namespace

void askHowToRead(QWidget& window, const ModelSource& source, const Error& why,
                  std::function<void(const ModelSource&)> answered)
{
    if (auto* asked = window.findChild<QDialog*>(QStringLiteral("readDialog"))) {
        asked->setObjectName(QString()); // of the file before; the new one takes its place
        asked->close();
    }
    (new ReadDialog(window, source, why, std::move(answered)))->show();
}

} // namespace ondo
