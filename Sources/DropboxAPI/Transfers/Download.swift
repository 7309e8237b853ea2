/// Which file to download. The result supports `Range` and `If-None-Match`.
public struct DownloadArg: Codable, Hashable, Sendable {
    public var path: String
    /// Deprecated: use `rev:…` in ``path`` instead.
    public var revision: String?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case path
        case revision = "rev"
    }

    public init(path: String, revision: String? = nil) {
        self.path = path
        self.revision = revision
    }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        path = try fields.path(.path, .read)
        revision = try fields.revision(.revision)
    }
}
