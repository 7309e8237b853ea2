import CTurboJPEG
import FoundationEssentials
import Glibc

extension JPEGFile {
    /// Opens the picture and lends a decoder that reads it.
    func withDecoder<Result>(
        to operation: String,
        _ body: (borrowing JPEGDecoder) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        let decoder = try JPEGDecoder(to: operation)
        switch contents {
        case .file(let url):
            let file = try InputFile.opening(url, to: operation)
            try decoder.check(byteclub_jpeg_read_from_descriptor(decoder.handle, file.descriptor))
            return try body(decoder)
        case .memory(let data):
            // `Data` only rethrows untyped errors, so the outcome travels as a value.
            let outcome = data.withUnsafeBytes { bytes -> Swift.Result<Result, PictureError> in
                byteclub_jpeg_read_from_memory(decoder.handle, bytes.baseAddress, bytes.count)
                do throws(PictureError) {
                    return .success(try body(decoder))
                } catch {
                    return .failure(error)
                }
            }
            return try outcome.get()
        }
    }
}

/// A plain file, open for reading.
private struct InputFile: ~Copyable {
    let descriptor: Int32

    /// - Throws: `.notFound`, `.isDirectory`, `.empty` or `.unreadable`.
    static func opening(_ url: URL, to operation: String) throws(PictureError) -> InputFile {
        // O_NONBLOCK: a named pipe must not hold us up before we see what it is.
        let opened = url.withUnsafeFileSystemRepresentation { path in
            path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        }
        guard url.isFileURL, let opened else {
            throw PictureError(.notFound, operation: operation, detail: "no file name")
        }
        guard opened >= 0 else {
            let code: PictureError.Code =
                errno == ENOENT || errno == ENOTDIR ? .notFound : .unreadable
            throw PictureError(
                code, operation: operation, detail: String(cString: strerror(errno)))
        }
        let file = InputFile(descriptor: opened)
        try file.checkKind(operation)
        return file
    }

    deinit { close(descriptor) }

    private func checkKind(_ operation: String) throws(PictureError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PictureError(
                .unreadable, operation: operation, detail: String(cString: strerror(errno)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            // Files in /proc and the like have a size of 0 and can be read all the same.
            return
        case S_IFDIR:
            throw PictureError(.isDirectory, operation: operation)
        default:
            throw PictureError(.unreadable, operation: operation, detail: "not a plain file")
        }
    }
}
