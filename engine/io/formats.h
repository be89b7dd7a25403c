// The readers behind openArrayFile: each scores a file (0 not mine, 100 certain) and opens it. Internal to engine/io.
#pragma once

#include "engine/io/array_file.h"

namespace ondo::formats {

struct Format {
    const char* name;
    int (*score)(const InputFile& file);
    Result<ArrayFile> (*open)(const InputFilePtr& file, const ModelSource& hints);
};

[[nodiscard]] int scoreNpy(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openNpy(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreNpz(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openNpz(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreMat5(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openMat5(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreMat4(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openMat4(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreHdf5(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openHdf5(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreSegy(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openSegy(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreSu(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openSu(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreRsf(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openRsf(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreFortran(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openFortran(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreVti(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openVti(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreVtk(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openVtk(const InputFilePtr& file, const ModelSource& hints);
[[nodiscard]] int scoreText(const InputFile& file);
[[nodiscard]] Result<ArrayFile> openText(const InputFilePtr& file, const ModelSource& hints);
// With hints a raw binary of the stated shape; without, a guess that is labelled as one or a refusal.
[[nodiscard]] Result<ArrayFile> openRaw(const InputFilePtr& file, const ModelSource& hints);

// The name of a format that is known and not read ("SEG-D", "ZIP archive"); empty when it is none of them.
[[nodiscard]] std::string foreignFormat(const InputFile& file);

// One array from the bytes of a .npy file at `start` of `file`, which occupy `length` bytes.
[[nodiscard]] Result<StoredArray> npyArray(const InputFilePtr& file, std::int64_t start, std::int64_t length);
[[nodiscard]] Result<StoredArray> npyArray(std::shared_ptr<const std::vector<unsigned char>> bytes);

// The largest numeric array becomes `main`; the earlier one of equals.
void chooseMain(ArrayFile& file);

} // namespace ondo::formats
