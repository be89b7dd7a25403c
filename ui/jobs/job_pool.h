// Work that would make the window wait: done on a worker, its outcome handed back on the owner's thread.
// The pool is a member of the QObject that is the context of its jobs: destroying the pool cancels and waits, and what
// was still on its way dies with the context.
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace ondo {

// Shared by a job and whoever wants to stop it or to know how far it is.
struct JobTicket {
    std::atomic<bool> cancelled{false};
    std::atomic<float> fraction{-1.0F}; // < 0: not known
};

// A question whose answer takes a job: asked again before it came, it is asked once more when it has come, and the answer
// that is old by then is left aside.
class OneQuestion {
public:
    // May it be asked now? If not, mayTell() will say that it must be asked again.
    [[nodiscard]] bool mayAsk()
    {
        m_again = std::exchange(m_asked, true);
        return !m_again;
    }
    // The answer has come: is it that to the newest question?
    [[nodiscard]] bool mayTell()
    {
        m_asked = false;
        return !std::exchange(m_again, false);
    }

private:
    bool m_asked = false, m_again = false;
};

class JobPool {
public:
    explicit JobPool(int threads = 1) { m_pool.setMaxThreadCount(threads); }
    ~JobPool()
    {
        cancelAll();
        m_pool.waitForDone();
    }
    JobPool(const JobPool&) = delete;
    JobPool& operator=(const JobPool&) = delete;

    // work(JobTicket&) on a worker; done(its value) on the context's thread, unless the job was cancelled meanwhile.
    template<class Work, class Done>
    std::shared_ptr<JobTicket> start(QObject* context, Work work, Done done)
    {
        auto ticket = std::make_shared<JobTicket>();
        std::erase_if(m_tickets, [](const std::weak_ptr<JobTicket>& old) { return old.expired(); });
        m_tickets.push_back(ticket);
        m_pool.start([context, ticket, work = std::move(work), done = std::move(done)]() mutable {
            if (ticket->cancelled) {
                return;
            }
            auto value = work(*ticket);
            QMetaObject::invokeMethod(
                context,
                [ticket, done = std::move(done), value = std::move(value)]() mutable {
                    if (!ticket->cancelled) {
                        done(std::move(value));
                    }
                },
                Qt::QueuedConnection);
        });
        return ticket;
    }

    void cancelAll()
    {
        for (const std::weak_ptr<JobTicket>& weak : m_tickets) {
            if (const auto ticket = weak.lock()) {
                ticket->cancelled = true;
            }
        }
    }

private:
    QThreadPool m_pool;
    std::vector<std::weak_ptr<JobTicket>> m_tickets;
};

} // namespace ondo
