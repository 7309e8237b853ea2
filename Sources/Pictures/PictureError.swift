import FoundationEssentials
internal import Messages

/// What went wrong with a picture, and in the middle of what.
///
/// Pictures come from outside: any bytes whatsoever lead to a result or to one of these, never to a
/// trap.
public struct PictureError: Error, Sendable, Equatable {
    public enum Code: Sendable, Equatable, CaseIterable {
        /// There is no file of that name.
        case notFound
        /// The file may not be opened, cannot be read, or is not a regular file.
        case unreadable
        /// The name is a folder's.
        case isDirectory
        /// The file has no bytes.
        case empty
        /// The bytes are something else than a picture that can be opened, whatever the name says.
        case notAPicture
        /// It is a picture of a kind whose library is not installed.
        case noLibrary
        /// The file ends before the picture does.
        case truncated
        /// The file became another one while it was read.
        case changed
        /// The picture's data are broken.
        case damaged
        /// A picture of a kind that cannot be decoded: of JPEGs lossless, 12 bits, odd components; an animation.
        case unsupported
        /// More pixels, or more memory while decoding, than `PictureLimits` allows.
        case tooLarge
        /// It is made so that opening it takes far more time or memory than any photo does.
        case tooCostly
        /// The process that decoded it broke down or was killed over it.
        case crashed
        /// No process to decode it in could be started.
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

    /// What was being attempted, as in "read holiday.jpg".
    public let operation: String

    /// What the system or libjpeg said, if anything; for logs.
    public let detail: String?

    /// What the file is instead of a picture that can be opened, where that is known.
    public let format: FileFormat?

    public init(
        _ code: Code, operation: String, detail: String? = nil, format: FileFormat? = nil
    ) {
        self.code = code
        self.operation = operation
        self.detail = detail
        self.format = format
    }

    /// Whether the file itself is to blame: then another attempt at it ends like this one.
    public var isOfThePicture: Bool {
        switch code {
        case .empty, .notAPicture, .truncated, .damaged, .unsupported, .tooLarge, .tooCostly,
            .crashed:
            true
        case .notFound, .unreadable, .isDirectory, .changed, .noLibrary, .noWorker, .outOfMemory,
            .cannotWrite, .diskFull, .cancelled:
            false
        }
    }
}

extension PictureError {
    /// The reason alone, as the end of a sentence that begins "… because", without a full stop.
    public var reason: String {
        switch code {
        case .notFound: localized("there is no such file")
        case .unreadable: localized("the file cannot be read")
        case .isDirectory: localized("it is a folder")
        case .empty: localized("the file is empty")
        case .notAPicture:
            format.map { localized("it is \($0.name), not a JPEG, PNG, HEIC, AVIF or WebP") }
                ?? localized("it is not a JPEG, PNG, HEIC, AVIF or WebP")
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
        case .tooCostly: localized("opening it takes more work than any photo should")
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
