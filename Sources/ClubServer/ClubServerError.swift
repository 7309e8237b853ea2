/// Why a club cannot be served.
public struct ClubServerError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// Another server serves the folder. Two would undo each other's changes.
        case alreadyRunning
        /// The folder, or its state folder, cannot be created, read or written.
        case folderNotUsable
        /// The club's folder was removed while it was served.
        case folderGone
        /// The path of a socket exceeds Linux's limit.
        case pathTooLong
        case portInUse
        /// The runtime folder belongs to another user, or others can write to it.
        case runtimeFolderNotSafe
        /// The socket or the port cannot be used for another reason.
        case cannotListen
        /// The system's limit of open files is too low.
        case tooManyOpenFiles
    }

    public let code: Code
    /// A sentence for the user, with what to do if possible.
    public let message: String
    /// The system's message, for logs.
    public let underlying: String?

    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    init(_ code: Code, _ message: String, _ error: SystemError) {
        self.init(code, message, underlying: error.description)
    }
}

extension ClubServerError: CustomStringConvertible {
    public var description: String {
        guard let underlying else { return message }
        return "\(message) (\(underlying))"
    }
}
