#include "engine/selftest/case.h"

#include "engine/device/device_list.h"
#include "engine/selftest/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string_view>

namespace ondo {

std::string SelftestOutcome::describe() const
{
    if (verdict == SelftestVerdict::Skipped) {
        return "skipped: " + reason;
    }
    std::string s = fmt::format("{:.3g} of {:.3g} {}", figure, tolerance, unit);
    if (!text.empty()) {
        s += "; " + text;
    }
    if (!reason.empty()) {
        s += fmt::format(" ({})", reason);
    }
    return s;
}

const std::vector<SelftestCase>& selftestCases()
{
    static const std::vector<SelftestCase> kCases = [] {
        std::vector<SelftestCase> all;
        addTruthCases(all);
        addPlanCases(all);
        addGreenCases(all);
        addLayerCases(all);
        addDensityCases(all);
        addOrderCases(all);
        addAbsorptionCases(all);
        addConservationCases(all);
        addSymmetryCases(all);
        addPeerCases(all);
        addMarmousiCases(all);
        addStabilityCases(all);
        addParityCases(all);
        addAdjointReferenceCases(all);
        addAdjointLawCases(all);
        addAdjointTruthCases(all);
        addAdjointModeCases(all);
        addAdjointTangentCases(all);
        addSessionCases(all);
        return all;
    }();
    return kCases;
}

SelftestOutcome runCase(const SelftestCase& which, SelftestContext& context)
{
    try {
        return which.run(context);
    } catch (const std::exception& e) {
        SelftestOutcome o;
        o.text = e.what();
        return o;
    }
}

bool SelftestFilter::accepts(const SelftestCase& which) const
{
    if (which.slow && !slow) {
        return false;
    }
    if (only.empty()) {
        return true;
    }
    std::string_view rest = only;
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        const auto word = rest.substr(0, comma);
        if (!word.empty() && (which.group == word || which.id().find(word) != std::string::npos)) {
            return true;
        }
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    return false;
}

Result<SelftestSummary> runSelftest(const SelftestFilter& filter, const std::shared_ptr<Device>& device,
                                    const SelftestListener& listener)
{
    const auto& all = selftestCases();
    if (std::none_of(all.begin(), all.end(), [&](const SelftestCase& c) { return filter.accepts(c); })) {
        return badInput(fmt::format("no case of the self-test is called \"{}\"", filter.only),
                        "use truth, plan, physics, stability, parity, adjoint, session or a part of a case's name");
    }
    SelftestContext context{device, device};
    if (!device->isHost()) {
        auto cpu = openDevice("cpu");
        if (!cpu) {
            return tl::unexpected<Error>(cpu.error());
        }
        context.cpu = cpu->device;
    }
    SelftestSummary summary;
    for (const auto& c : all) {
        if (!filter.accepts(c)) {
            continue;
        }
        if (listener.begun) {
            listener.begun(c);
        }
        const auto begun = std::chrono::steady_clock::now();
        const auto outcome = runCase(c, context);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        summary.passed += outcome.verdict == SelftestVerdict::Passed ? 1 : 0;
        summary.failed += outcome.verdict == SelftestVerdict::Failed ? 1 : 0;
        summary.skipped += outcome.verdict == SelftestVerdict::Skipped ? 1 : 0;
        if (listener.ended && !listener.ended(c, outcome, seconds)) {
            break;
        }
    }
    return summary;
}

} // namespace ondo
