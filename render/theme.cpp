#include "render/theme.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace ondo {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> fontFolders()
{
    std::vector<fs::path> folders = {"/usr/share/fonts", "/usr/local/share/fonts"};
    if (const char* own = std::getenv("ONDO_FONT_PATH")) { // a packed program that brings its fonts
        folders.insert(folders.begin(), own);
    }
    if (const char* home = std::getenv("HOME")) {
        folders.push_back(fs::path(home) / ".local/share/fonts");
        folders.push_back(fs::path(home) / ".fonts");
    }
    return folders;
}

// The first file whose name is one of `names`, in the order of `names`.
std::string findFont(const std::vector<fs::path>& files, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        for (const fs::path& file : files) {
            if (file.filename().string() == name) {
                return file.string();
            }
        }
    }
    return {};
}

std::vector<fs::path> fontCandidates()
{
    std::vector<fs::path> files;
    for (const fs::path& folder : fontFolders()) {
        std::error_code ec;
        fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, ec);
        for (; !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
            const std::string name = it->path().filename().string();
            if (name.starts_with("Inter-") || name.starts_with("DejaVuSans") || name.starts_with("NotoSans-") ||
                name.starts_with("LiberationSans-")) {
                files.push_back(it->path());
            }
        }
    }
    return files;
}

FontFiles lookForFonts()
{
    const std::vector<fs::path> files = fontCandidates();
    FontFiles found;
    found.regular = findFont(files, {"Inter-Regular.otf", "Inter-Regular.ttf", "DejaVuSans.ttf", "NotoSans-Regular.ttf",
                                     "LiberationSans-Regular.ttf"});
    found.medium = findFont(files, {"Inter-Medium.otf", "Inter-Medium.ttf", "DejaVuSans.ttf", "NotoSans-Medium.ttf",
                                    "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf"});
    return found;
}

Theme makeLight()
{
    Theme t;
    t.brightness = Brightness::Light;
    t.background = {250, 250, 248};
    t.text = {28, 32, 38};
    t.mutedText = {92, 99, 109};
    t.line = {150, 156, 164};
    t.grid = {20, 24, 30, 46};
    t.accent = {0, 110, 196};
    t.source = {232, 72, 40};
    t.receiver = {18, 128, 116};
    t.probe = {122, 70, 190};
    t.halo = {255, 255, 255, 235};
    t.label = {28, 32, 38, 232};
    t.labelText = {250, 250, 250};
    return t;
}

Theme makeDark()
{
    Theme t;
    t.brightness = Brightness::Dark;
    t.background = {24, 26, 30};
    t.text = {228, 231, 235};
    t.mutedText = {150, 157, 167};
    t.line = {92, 99, 109};
    t.grid = {235, 240, 245, 42};
    t.accent = {84, 172, 255};
    t.source = {255, 122, 82};
    t.receiver = {72, 208, 188};
    t.probe = {190, 146, 255};
    t.halo = {14, 15, 18, 235};
    t.label = {238, 240, 243, 238};
    t.labelText = {20, 22, 26};
    return t;
}

} // namespace

const Theme& lightTheme()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme& themeOf(Brightness brightness)
{
    return brightness == Brightness::Dark ? darkTheme() : lightTheme();
}

const FontFiles& fontFiles()
{
    static const FontFiles files = lookForFonts();
    return files;
}

} // namespace ondo
