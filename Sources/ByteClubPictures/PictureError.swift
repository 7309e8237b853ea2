import FoundationEssentials
internal import ByteClubMessages

/// An error with a picture, and the operation.
///
/// Pictures are untrusted: any bytes lead to a result or to one of these, never to a trap.
public struct PictureError: Error, Sendable, Equatable {
    public enum Code: Sendable, Equatable, CaseIterable {
        /// The file does not exist.
        case notFound
        /// The file cannot be opened or read, or is not a regular file.
        case unreadable
        /// It is a folder.
        case isDirectory
        /// The file is empty.
        case empty
        /// The file is not a supported picture, whatever its name.
        case notAPicture
        /// The format's library is not installed.
        case noLibrary
        /// The file ends before the picture does.
        case truncated
        /// The file was modified while it was read.
        case changed
        /// The picture's data is damaged.
        case damaged
        /// A variant that cannot be decoded: lossless or 12-bit JPEGs, unusual components; an animation.
        case unsupported
        /// More pixels, or more memory while decoding, than `PictureLimits` allows.
        case tooLarge
        /// Too large to be re-encoded. It can be shown, and uploaded unchanged.
        case tooLargeToReencode
        /// Not uploaded unchanged: other members could not see it.
        case onlyAsJPEG
        /// Opening it takes far more time or memory than any real photo.
        case tooCostly
        /// The process that decoded it crashed or was killed.
        case crashed
        /// No decoding process could be started.
        case noWorker
        /// Memory ran out.
        case outOfMemory
        /// The result could not be written.
        case cannotWrite
        /// The result could not be written because the disk or the quota is full.
        case diskFull
        /// The task was cancelled.
        case cancelled
    }

    public let code: Code

    /// The operation, as in "read holiday.jpg".
    public let operation: String

    /// A message of the system or libjpeg; for logs.
    public let detail: String?

    /// The actual format of a file that is not a supported picture, if known.
    public let format: FileFormat?

    public init(
        _ code: Code, operation: String, detail: String? = nil, format: FileFormat? = nil
    ) {
        self.code = code
        self.operation = operation
        self.detail = detail
        self.format = format
    }

    /// Whether the file itself is the cause: retrying has the same result.
    public var isOfThePicture: Bool {
        switch code {
        case .empty, .notAPicture, .truncated, .damaged, .unsupported, .tooLarge,
            .tooLargeToReencode, .onlyAsJPEG, .tooCostly, .crashed:
            true
        case .notFound, .unreadable, .isDirectory, .changed, .noLibrary, .noWorker, .outOfMemory,
            .cannotWrite, .diskFull, .cancelled:
            false
        }
    }
}

extension PictureError {
    /// Only the reason, as the end of a sentence that begins "… because", without a full stop.
    public var reason: String {
        switch code {
        case .notFound: localized("there is no such file")
        case .unreadable: localized("the file cannot be read")
        case .isDirectory: localized("it is a folder")
        case .empty: localized("the file is empty")
        case .notAPicture:
            format.map { localized("it is \($0.name), not a picture that can be read") }
                ?? localized("it is not a picture that can be read")
        case .noLibrary:
            format.map {
                localized("it is \($0.name), and the library that reads it is not installed")
            } ?? localized("the library that reads it is not installed")
        case .truncated: localized("the file ends before the picture does")
        case .changed: localized("the file changed while it was read")
        case .damaged: localized("the picture is damaged")
        case .unsupported: localized("it is a kind of picture that is not supported")
        case .crashed: localized("the picture decoder failed on it")
        case .noWorker:
            localized("the picture decoder could not be started")
        case .tooLarge: localized("the picture is too large")
        case .tooLargeToReencode: localized("the picture is too large to be encoded again")
        case .onlyAsJPEG:
            format.map { localized("it is \($0.name), which others cannot see as it is") }
                ?? localized("others cannot see it as it is")
        case .tooCostly: localized("opening it requires too much computation")
        case .outOfMemory: localized("there is not enough memory")
        case .cannotWrite: localized("the result could not be written")
        case .diskFull: localized("the disk is full")
        case .cancelled: localized("it was cancelled")
        }
    }
}

extension PictureError: CustomStringConvertible {
    public var description: String {
        let detail = detail.map { " (\($0))" } ?? ""
        return "could not \(operation): \(reason)\(detail)"
    }
}
