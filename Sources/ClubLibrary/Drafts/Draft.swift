public import FoundationEssentials

/// Text a person has typed that no server has confirmed yet.
public struct Draft: Sendable, Equatable, Identifiable {
    /// Unique among all drafts; also the name of its file.
    public let id: UUID
    /// What the note was called when the draft was written; as typed, for a note not yet created.
    public var name: String
    /// Where the note lives in the club (`/name.txt`), or nil for a note not yet created.
    public var path: String?
    /// The folder that a note not yet created goes to (`/drafts`); nil for the club's top.
    public var folder: String?
    /// The revision the text was opened at, or nil for a note not yet created.
    public var baseRevision: String?
    /// The hash of the bytes that the text was opened with, in Dropbox's form; nil where it is not known,
    /// and in drafts of earlier versions. Some servers give two texts of one second the same revision.
    public var baseContentHash: String?
    /// When it was last written.
    public var savedAt: Date
    /// Whether the person has set it aside on purpose: it waits for them to open the note, and is not offered.
    public var isSetAside: Bool
    /// Where the caret was, in bytes of the text as it is shown, without a byte order mark; nil in drafts of
    /// earlier versions.
    public var caret: Int?
    /// The whole text in UTF-8, as typed; bytes that are no UTF-8 stand as the note had them.
    public var text: Data

    public init(
        id: UUID = UUID(), name: String, path: String?, folder: String? = nil,
        baseRevision: String?, baseContentHash: String? = nil, isSetAside: Bool = false,
        caret: Int? = nil, savedAt: Date, text: Data
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.folder = folder
        self.baseRevision = baseRevision
        self.baseContentHash = baseContentHash
        self.isSetAside = isSetAside
        self.caret = caret
        self.savedAt = savedAt
        self.text = text
    }
}

extension Draft {
    /// What stands in the first line of a draft's file, as JSON; the text follows it byte for byte,
    /// so that a person can rescue it with any editor.
    private struct Header: Codable {
        var version: Int
        var name: String
        var path: String?
        var folder: String?
        var baseRevision: String?
        var baseContentHash: String?
        /// Left out where it is not so, as earlier versions did.
        var setAside: Bool?
        var caret: Int?
        var savedAt: Double
    }

    private static let formatVersion = 1

    /// The file's bytes: one line of JSON, a newline, the text in UTF-8.
    package func encoded() throws -> Data {
        let header = Header(
            version: Self.formatVersion, name: name, path: path, folder: folder,
            baseRevision: baseRevision, baseContentHash: baseContentHash,
            setAside: isSetAside ? true : nil, caret: caret,
            savedAt: savedAt.timeIntervalSince1970)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(header)
        data.append(UInt8(ascii: "\n"))
        data.append(text)
        return data
    }

    /// Reads what `encoded()` wrote; nil for anything else, also for a newer version's file.
    package init?(id: UUID, decoding data: Data) {
        guard let newline = data.firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decode(Header.self, from: data[..<newline]),
            header.version == Self.formatVersion
        else { return nil }
        self.init(
            id: id, name: header.name, path: header.path, folder: header.folder,
            baseRevision: header.baseRevision, baseContentHash: header.baseContentHash,
            isSetAside: header.setAside ?? false, caret: header.caret,
            savedAt: Date(timeIntervalSince1970: header.savedAt),
            text: Data(data[(newline + 1)...]))
    }
}
