// A backend module for tst_device_list: FAKE_RELEASE and FAKE_DEVICES say what it answers; without FAKE_RELEASE it is a
// library that is no module at all.
#include "kernels/fingerprint.h"
#include "tests/unit/fake_backend.h"

#ifdef FAKE_RELEASE

namespace {

class FakeModule final : public ondo::kernels::BackendModule {
public:
    [[nodiscard]] std::string release() const override { return FAKE_RELEASE; }
    [[nodiscard]] int count(std::string& why) override
    {
        if (FAKE_DEVICES == 0) {
            why = "the fake sees no GPU";
        }
        return FAKE_DEVICES;
    }
    [[nodiscard]] ondo::kernels::DeviceFacts describe(int ordinal) override
    {
        ondo::kernels::DeviceFacts f = ondo::test::FakeBackend().facts();
        f.id = "cuda:" + std::to_string(ordinal);
        return f;
    }
    [[nodiscard]] std::unique_ptr<ondo::kernels::Backend> open(int ordinal) override
    {
        if (ordinal == 1) {
            throw ondo::kernels::BackendError(ondo::kernels::BackendFailure::Launch, "the second fake is in use");
        }
        return std::make_unique<ondo::test::FakeBackend>();
    }
};

} // namespace

extern "C" __attribute__((visibility("default"))) const char* ondoModuleRelease()
{
    return FAKE_RELEASE;
}

extern "C" __attribute__((visibility("default"))) ondo::kernels::BackendModule* ondoBackendModule(const char* release)
{
    static FakeModule module;
    return std::string(release) == FAKE_RELEASE ? &module : nullptr;
}

#else

extern "C" int ondoFakeLibrary()
{
    return 1;
}

#endif
