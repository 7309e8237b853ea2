/// Why a transfer waits or has failed: codes and values, no words. Who looks at it reads it in their own
/// language.
///
/// These names are in files: they stay as they are.
public struct TransferFailure: Codable, Hashable, Sendable {
    /// What has failed.
    ///
    /// Not an enumeration: what a later version has written is read, and kept.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The club.
        public static let store = Kind(rawValue: "store")
        /// The photo on this computer.
        public static let picture = Kind(rawValue: "picture")
        /// The list of transfers.
        public static let journal = Kind(rawValue: "journal")
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
