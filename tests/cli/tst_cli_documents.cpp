// Help, manual page, completion and the example run file tell the same and the truth.
#include "ondo_process.h"

#include <QRegularExpression>
#include <QSet>
#include <QtTest>

namespace {

QByteArray sourceFile(const QString& name)
{
    QFile file(QString(ONDO_SOURCE_DIR) + "/" + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QSet<QString> longOptions(const QByteArray& text)
{
    QSet<QString> found;
    static const QRegularExpression kOption(R"((?<![\w-])--[a-z][a-z-]+)");
    auto each = kOption.globalMatch(QString::fromUtf8(text));
    while (each.hasNext()) {
        found.insert(each.next().captured());
    }
    return found;
}

// The options' own lines of a help text, without its examples.
QSet<QString> optionsOfHelp(const QByteArray& help)
{
    QByteArray lines;
    for (const auto& line : help.split('\n')) {
        if (line.startsWith("  -")) {
            lines += line + "\n";
        }
    }
    return longOptions(lines);
}

} // namespace

class TestCliDocuments : public QObject {
    Q_OBJECT

private slots:
    void eachCommand_data();
    void eachCommand();
    void versionIsOneLine();
    void commandsAreCompleted();
    void theExampleHoldsEveryKey();
    void theExampleIsARun();
};

void TestCliDocuments::eachCommand_data()
{
    QTest::addColumn<QString>("command");
    for (const char* name :
         {"run", "gradient", "invert", "migrate", "info", "check", "convert", "selftest", "bench", "calibrate"}) {
        QTest::newRow(name) << QString(name);
    }
}

void TestCliDocuments::eachCommand()
{
    QFETCH(QString, command);
    const Workshop w;
    const auto help = w.ondo({command, "--help"});
    QVERIFY2(help.code == 0, help.all());
    QVERIFY2(help.err.isEmpty(), help.all());
    const auto options = optionsOfHelp(help.out);
    QVERIFY2(options.contains("--help"), help.all());

    // In the manual page a hyphen of an option is "\-".
    QByteArray manual = sourceFile("packaging/man/ondo.1");
    manual.replace("\\-", "-");
    QVERIFY(manual.contains(("\n.SS ondo " + command + "\n").toUtf8()));
    const auto section = manual.mid(manual.indexOf(("\n.SS ondo " + command + "\n").toUtf8()) + 5);
    const auto own = longOptions(section.left(std::max<qsizetype>(section.indexOf("\n.S"), 0)));
    for (const auto& option : options) {
        if (option != "--help") {
            QVERIFY2(own.contains(option), qPrintable(option + " is not in the manual page's section on " + command));
        }
    }
    for (const auto& option : own) {
        QVERIFY2(options.contains(option),
                 qPrintable(option + " stands in the manual page, but ondo " + command + " has it not"));
    }

    QProcess bash;
    bash.start("bash",
               {"-c",
                "source \"$1\"; COMP_WORDS=(ondo \"$2\" --); COMP_CWORD=2; _ondo; printf '%s\\n' \"${COMPREPLY[@]}\"",
                "bash", QString(ONDO_SOURCE_DIR) + "/packaging/completion/ondo.bash", command});
    const auto completed = w.finish(bash);
    QCOMPARE(longOptions(completed.out), options);
}

void TestCliDocuments::versionIsOneLine()
{
    const Workshop w;
    const auto o = w.ondo({"--version"});
    QCOMPARE(o.code, 0);
    QCOMPARE(o.out, QByteArray("ondo " ONDO_VERSION "\n"));
}

void TestCliDocuments::commandsAreCompleted()
{
    const Workshop w;
    const auto help = w.ondo({"--help"});
    QCOMPARE(help.code, 0);
    QProcess bash;
    bash.start("bash",
               {"-c", "source \"$1\"; COMP_WORDS=(ondo ''); COMP_CWORD=1; _ondo; printf '%s\\n' \"${COMPREPLY[@]}\"",
                "bash", QString(ONDO_SOURCE_DIR) + "/packaging/completion/ondo.bash"});
    const auto words = w.finish(bash).out.split('\n');
    for (const char* name :
         {"run", "gradient", "invert", "migrate", "info", "check", "convert", "selftest", "bench", "calibrate"}) {
        QVERIFY2(words.contains(name), name);
        QVERIFY2(help.out.contains(QByteArray("\n  ") + name + " "), help.all());
    }
    for (const auto& option : optionsOfHelp(help.out)) {
        QVERIFY2(words.contains(option.toUtf8()), qPrintable(option));
    }
}

void TestCliDocuments::theExampleHoldsEveryKey()
{
    const Workshop w;
    const auto example = w.ondo({"run", "--example"});
    QCOMPARE(example.code, 0);
    QVERIFY2(
        example.out == sourceFile("resources/examples/first_light.toml"),
        "resources/examples/first_light.toml is out of step: ondo run --example > resources/examples/first_light.toml");
    QVERIFY2(!example.out.contains(" = ?"), "a key has no example: engine/io/run_example.cpp");
    const auto keys = w.ondo({"run", "--keys"});
    QCOMPARE(keys.code, 0);
    int count = 0;
    for (const auto& line : keys.out.split('\n')) {
        static const QRegularExpression kKey("^  ([a-z_]+) ");
        const auto match = kKey.match(QString::fromUtf8(line));
        if (match.hasMatch()) {
            ++count;
            const QByteArray name = match.captured(1).toUtf8();
            QVERIFY2(example.out.contains("\n" + name + " = ") || example.out.contains("\n#" + name + " = "), name);
        }
    }
    QVERIFY2(count > 50, keys.out);
}

void TestCliDocuments::theExampleIsARun()
{
    const Workshop w;
    w.write("first_light.toml", sourceFile("resources/examples/first_light.toml"));
    const auto o = w.ondo({"check", "first_light.toml"});
    QVERIFY2(o.code == 0, o.all());
    QVERIFY2(o.out.contains("a run description, good"), o.all());
    QVERIFY2(!o.out.contains("warning"), o.all());
}

QTEST_GUILESS_MAIN(TestCliDocuments)
#include "tst_cli_documents.moc"
