#include "engine/inversion/model_vector.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ondo {

namespace {

template<class T>
double meanOf(const std::vector<T>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

template<class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<float> floats(const Numbers& x)
{
    std::vector<float> v(x.size());
    std::transform(x.begin(), x.end(), v.begin(), [](double one) { return static_cast<float>(one); });
    return v;
}

} // namespace

std::string_view parametersName(InvertedParameters parameters)
{
    return parameters == InvertedParameters::Speed          ? "speed"
           : parameters == InvertedParameters::SpeedDensity ? "speed,density"
                                                            : "speed,impedance";
}

std::string_view secondName(InvertedParameters parameters)
{
    return parameters == InvertedParameters::Speed          ? ""
           : parameters == InvertedParameters::SpeedDensity ? "density"
                                                            : "impedance";
}

std::string_view secondUnit(InvertedParameters parameters)
{
    return parameters == InvertedParameters::Speed          ? ""
           : parameters == InvertedParameters::SpeedDensity ? "kg/m^3"
                                                            : "kg/(m^2 s)";
}

std::vector<float> secondOf(const Model& model, InvertedParameters parameters)
{
    if (parameters == InvertedParameters::Speed || !model.hasDensity()) {
        return {};
    }
    std::vector<float> q = model.density().samples();
    if (parameters == InvertedParameters::SpeedImpedance) {
        const auto& v = model.velocity().samples();
        std::transform(q.begin(), q.end(), v.begin(), q.begin(), [](float rho, float c) {
            return static_cast<float>(static_cast<double>(rho) * static_cast<double>(c));
        });
    }
    return q;
}

Model modelOf(const Model& start, std::vector<float> speed, const std::vector<float>& second,
              InvertedParameters parameters)
{
    std::vector<float> rho = second;
    if (parameters == InvertedParameters::SpeedImpedance) {
        std::transform(second.begin(), second.end(), speed.begin(), rho.begin(), [](float z, float c) {
            return static_cast<float>(static_cast<double>(z) / static_cast<double>(c));
        });
    }
    Model model = *start.withVelocity(std::move(speed));
    return rho.empty() ? model : *model.withDensity(std::move(rho));
}

ModelVector::ModelVector(const Model& start, InvertedParameters parameters, SpeedBounds speed, SpeedBounds second)
    : m_nodes(static_cast<std::size_t>(start.grid().nodes()))
    , m_speed(std::move(speed))
    , m_second(std::move(second))
{
    const auto q = secondOf(start, parameters);
    if (!q.empty()) {
        m_scale = meanOf(start.velocity().samples()) / meanOf(q);
    }
}

Numbers ModelVector::half(const Numbers& x, bool second, double factor) const
{
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(m_nodes);
    Numbers out(second ? middle : x.begin(), second ? x.end() : middle);
    for (double& v : out) {
        v *= factor;
    }
    return out;
}

Numbers ModelVector::numbersOf(const std::vector<float>& speed, const std::vector<float>& second) const
{
    Numbers x(speed.begin(), speed.end());
    for (const float q : second) {
        x.push_back(static_cast<double>(q) * m_scale);
    }
    return x;
}

Numbers ModelVector::gradientOf(const Numbers& bySpeed, const Numbers& bySecond) const
{
    Numbers g = bySpeed;
    for (const double v : bySecond) {
        g.push_back(v / m_scale);
    }
    return g;
}

std::vector<float> ModelVector::speed(const Numbers& x) const
{
    return floats(half(x, false, 1.0));
}

std::vector<float> ModelVector::second(const Numbers& x) const
{
    return two() ? floats(half(x, true, 1.0 / m_scale)) : std::vector<float>();
}

Numbers ModelVector::bySpeed(const Numbers& gradient) const
{
    return half(gradient, false, 1.0);
}

Numbers ModelVector::bySecond(const Numbers& gradient) const
{
    return two() ? half(gradient, true, m_scale) : Numbers();
}

Numbers ModelVector::secondAlong(const Numbers& direction) const
{
    return two() ? half(direction, true, 1.0 / m_scale) : Numbers();
}

Numbers ModelVector::moved(const Numbers& x, const Numbers& direction, double step) const
{
    Numbers out = m_speed.moved(half(x, false, 1.0), half(direction, false, 1.0), step);
    if (two()) {
        const Numbers q = half(x, true, 1.0 / m_scale);
        const Numbers to = m_second.moved(q, half(direction, true, 1.0 / m_scale), step);
        for (std::size_t i = 0; i < to.size(); ++i) {
            out.push_back(to[i] == q[i] ? x[m_nodes + i] : to[i] * m_scale);
        }
    }
    return out;
}

std::vector<bool> ModelVector::freeNumbers(const Numbers& x, const Numbers& gradient) const
{
    auto free = m_speed.freeNodes(half(x, false, 1.0), half(gradient, false, 1.0));
    // The second as floats hold it, as its bounds are compared.
    const auto q = second(x);
    return two() ? joined(std::move(free), m_second.freeNodes({q.begin(), q.end()}, half(gradient, true, 1.0))) : free;
}

Numbers ModelVector::precondition(const Preconditioner& shape, const Numbers& gradient) const
{
    Numbers out = shape.apply(half(gradient, false, 1.0));
    return two() ? joined(std::move(out), shape.apply(half(gradient, true, 1.0))) : out;
}

} // namespace ondo
