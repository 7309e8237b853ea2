import FoundationEssentials
import Glibc

/// A picture's bytes, its name, and its scratch files.
struct PictureSource: Sendable {
    enum Contents: Sendable {
        case file(URL)
        case memory(Data)
        /// Open and exclusively owned: its position changes.
        case descriptor(Int32)
    }

    let contents: Contents

    /// The picture's name in errors: the file's name.
    let name: String

    var scratch = ScratchFiles.inTemporaryFolder

    init(_ contents: Contents, name: String) {
        self.contents = contents
        self.name = name
    }

    init(at url: URL) {
        self.init(.file(url), name: url.lastPathComponent)
    }

    /// Calls `body` with the bytes.
    ///
    /// - Throws: The error of `body`; `.notFound`, `.isDirectory` or `.unreadable`.
    func withBytes<Result>(
        to operation: String, _ body: (PictureBytes) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        switch contents {
        case .file(let url):
            let file = try InputFile.opening(url, to: operation)
            return try body(.descriptor(file.descriptor))
        case .descriptor(let number):
            guard lseek(number, 0, SEEK_SET) == 0 else {
                throw PictureError(.unreadable, operation: operation)
            }
            return try body(.descriptor(number))
        case .memory(let data):
            // `Data` only rethrows untyped errors, so the outcome is passed as a value.
            let outcome = data.withUnsafeBytes { bytes -> Swift.Result<Result, PictureError> in
                do throws(PictureError) {
                    return .success(try body(.memory(bytes)))
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }
}

/// The scratch files for a picture that is too large for memory.
enum ScratchFiles: Sendable {
    case inTemporaryFolder
    /// Files opened in advance: a worker cannot open any. The first is for coefficients and already has its
    /// size; the last is for turning.
    case given([Int32])

    /// - Throws: `.cannotWrite` or `.diskFull`.
    func makeForTurning(to operation: String) throws(PictureError) -> ScratchFile {
        switch self {
        case .inTemporaryFolder: return try ScratchFile(to: operation)
        case .given(let files):
            guard let file = files.last else {
                throw PictureError(.cannotWrite, operation: operation, detail: "no scratch file")
            }
            return ScratchFile(borrowing: file)
        }
    }

    /// - Parameter byteCount: Allocated on disk in advance: a full disk would otherwise cause a signal, not
    ///   an error.
    /// - Throws: `.cannotWrite` or `.diskFull`.
    func makeForCoefficients(
        _ byteCount: Int, to operation: String
    ) throws(PictureError) -> ScratchFile {
        switch self {
        case .inTemporaryFolder:
            let file = try ScratchFile(to: operation)
            try file.reserve(byteCount, to: operation)
            return file
        case .given(let files):
            var status = stat()
            guard let file = files.first, fstat(file, &status) == 0,
                Int(status.st_size) >= byteCount
            else {
                throw PictureError(.cannotWrite, operation: operation, detail: "no scratch file")
            }
            return ScratchFile(borrowing: file)
        }
    }
}
