// Three slots between a painter and a display: the newest wins, nobody waits, nothing torn.
#include "engine/frame/frame_exchange.h"

#include <QtTest>

#include <atomic>
#include <thread>

using namespace ondo;

class TestFrameExchange : public QObject {
    Q_OBJECT

private slots:
    void emptyHasNothing();
    void newestWins();
    void readingSlotIsLeftAlone();
    void abandonedSlotIsFree();
    void drainForgets();
    void twoThreads();
};

namespace {

PaintedFrame frameOf(std::int64_t step)
{
    PaintedFrame f;
    f.step = step;
    return f;
}

} // namespace

void TestFrameExchange::emptyHasNothing()
{
    FrameExchange x;
    PaintedFrame f;
    QCOMPARE(x.beginRead(f), -1);
    QVERIFY(!x.unread());
    QCOMPARE(x.published(), std::uint64_t{0});
}

void TestFrameExchange::newestWins()
{
    FrameExchange x;
    for (int i = 1; i <= 5; ++i) {
        const int slot = x.beginWrite();
        QVERIFY(slot >= 0);
        x.publish(slot, frameOf(i));
    }
    PaintedFrame f;
    const int slot = x.beginRead(f);
    QVERIFY(slot >= 0);
    QCOMPARE(f.step, std::int64_t{5});
    QCOMPARE(f.number, std::uint64_t{4});
    x.endRead(slot);
    QCOMPARE(x.beginRead(f), -1);
    QCOMPARE(x.published(), std::uint64_t{5});
    QCOMPARE(x.dropped(), std::uint64_t{4});
}

void TestFrameExchange::readingSlotIsLeftAlone()
{
    FrameExchange x;
    x.publish(x.beginWrite(), frameOf(1));
    PaintedFrame f;
    const int reading = x.beginRead(f);
    for (int i = 2; i < 20; ++i) {
        const int slot = x.beginWrite();
        QVERIFY(slot >= 0 && slot != reading);
        x.publish(slot, frameOf(i));
    }
    x.endRead(reading);
    QVERIFY(x.unread());
    const int slot = x.beginRead(f);
    QCOMPARE(f.step, std::int64_t{19});
    x.endRead(slot);
}

void TestFrameExchange::abandonedSlotIsFree()
{
    FrameExchange x;
    for (int i = 0; i < 10; ++i) {
        const int slot = x.beginWrite();
        QVERIFY(slot >= 0);
        x.abandon(slot);
    }
    QVERIFY(!x.unread());
}

void TestFrameExchange::drainForgets()
{
    FrameExchange x;
    x.publish(x.beginWrite(), frameOf(1));
    PaintedFrame f;
    const int slot = x.beginRead(f);
    std::thread reader([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        x.endRead(slot);
    });
    x.drain();
    reader.join();
    QVERIFY(!x.unread());
    QCOMPARE(x.beginRead(f), -1);
}

void TestFrameExchange::twoThreads()
{
    FrameExchange x;
    std::uint32_t pixels[FrameExchange::kSlots][64] = {};
    std::atomic<bool> done{false};
    std::thread producer([&] {
        for (std::uint32_t i = 1; i <= 20000; ++i) {
            const int slot = x.beginWrite();
            if (slot < 0) {
                continue;
            }
            for (auto& p : pixels[slot]) {
                p = i;
            }
            PaintedFrame f = frameOf(i);
            f.pixels = pixels[slot];
            x.publish(slot, f);
        }
        done = true;
    });
    std::int64_t last = 0;
    int torn = 0;
    int backwards = 0;
    while (!done || x.unread()) {
        PaintedFrame f;
        const int slot = x.beginRead(f);
        if (slot < 0) {
            std::this_thread::yield();
            continue;
        }
        for (int i = 0; i < 64; ++i) {
            torn += f.pixels[i] == static_cast<std::uint32_t>(f.step) ? 0 : 1;
        }
        backwards += f.step > last ? 0 : 1;
        last = f.step;
        x.endRead(slot);
    }
    producer.join();
    QCOMPARE(torn, 0);
    QCOMPARE(backwards, 0);
    QCOMPARE(last, std::int64_t{20000});
}

QTEST_GUILESS_MAIN(TestFrameExchange)
#include "tst_frame_exchange.moc"
