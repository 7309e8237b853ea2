/// Why a transfer waits or has failed, as codes and values: each reader shows it in its own language.
///
/// These names are stored in files and must not change.
public struct TransferFailure: Codable, Hashable, Sendable {
    /// The kind of failure.
    ///
    /// Not an enumeration: values of later versions must be preserved.
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
    /// The code of the failure within its kind.
    public var code: String
    /// The values for the message: paths, seconds, a server's text. Not safe for a screen.
    public var values: [String: String]

    public init(_ kind: Kind, code: String, values: [String: String] = [:]) {
        self.kind = kind
        self.code = code
        self.values = values
    }
}
