/// Why a club cannot be served, and what was being attempted.
public struct ClubServerError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// Another server has the folder. There is one for each, or they would undo each other.
        case alreadyRunning
        /// The folder, or one for its state, cannot be made, read or written.
        case folderNotUsable
        /// The club's folder was removed while it was served.
        case folderGone
        /// The path of a socket has more bytes than Linux takes.
        case pathTooLong
        case portInUse
        /// The runtime folder belongs to somebody else, or others may write to it.
        case runtimeFolderNotSafe
        /// The socket or the port cannot be used for another reason.
        case cannotListen
        /// The system lets this process have too few files and sockets open.
        case tooManyOpenFiles
    }

    public let code: Code
    /// A sentence for the person, with what to do where something can be done.
    public let message: String
    /// What the system said, for logs.
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
