/// Why a transfer waits or has failed: codes and values, no words. Who looks at it reads it in their own
/// language.
///
/// These names are in files: they stay as they are.
public struct TransferFailure: Codable, Hashable, Sendable {
    /// What has failed.
    public enum Kind: String, Codable, Sendable {
        /// The club.
        case store
        /// The photo on this computer.
        case picture
        /// The list of transfers.
        case journal
    }

    public var kind: Kind
    /// Which of the kind's failures it is.
    public var code: String
    /// What the words name: paths, seconds, what a server has said. None of it is trusted on a screen.
    public var values: [String: String]

    public init(_ kind: Kind, code: String, values: [String: String] = [:]) {
        self.kind = kind
        self.code = code
        self.values = values
    }
}
