#include "engine/device/display_link.h"

#include <exception>
#include <utility>

namespace ondo {

namespace {

constexpr const char* kRemedy = "the picture goes through host memory; this costs a little speed and nothing else";

template<class Work>
auto guarded(Work&& work) -> decltype(work())
{
    try {
        return work();
    } catch (const std::exception& e) {
        return fail(ErrorKind::NoDevice, e.what(), kRemedy);
    }
}

} // namespace

DisplayLink::DisplayLink(std::shared_ptr<Device> device)
    : m_device(std::move(device))
{
}

bool DisplayLink::possible() const
{
    return m_device != nullptr && m_device->backend().presenter() != nullptr;
}

Result<> DisplayLink::probe()
{
    if (!possible()) {
        return fail(ErrorKind::NoDevice, "this device computes in host memory");
    }
    return guarded([&]() -> Result<> {
        const std::string why = m_device->backend().presenter()->probe();
        return why.empty() ? Result<>{} : fail(ErrorKind::NoDevice, why, kRemedy);
    });
}

Result<int> DisplayLink::registerTexture(unsigned glTexture, int width, int height)
{
    return guarded(
        [&]() -> Result<int> { return m_device->backend().presenter()->registerTexture(glTexture, width, height); });
}

void DisplayLink::unregister(int slot) noexcept
{
    try {
        m_device->backend().presenter()->unregisterTexture(slot);
    } catch (const std::exception&) { // gone with its context or its device: nothing is left to give back
    }
}

Result<> DisplayLink::present(int slot, const PaintedFrame& frame)
{
    return guarded([&]() -> Result<> {
        m_device->backend().presenter()->present(slot, frame.pixels, frame.shows.pixelsX, frame.ready);
        return {};
    });
}

} // namespace ondo
