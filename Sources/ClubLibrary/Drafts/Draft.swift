public import FoundationEssentials

/// A typed text that no server has confirmed yet.
public struct Draft: Sendable, Equatable, Identifiable {
    /// Unique among all drafts; also the name of its file.
    public let id: UUID
    /// The note's name when the draft was written; as typed for a new note.
    public var name: String
    /// The note's path in the club (`/name.txt`); nil for a new note.
    public var path: String?
    /// The folder of a new note (`/drafts`); nil for the top folder.
    public var folder: String?
    /// The revision that the text was opened from; nil for a new note.
    public var baseRevision: String?
    /// The content hash of the opened bytes; nil if unknown, and in drafts of earlier versions. Some servers
    /// give two texts of one second the same revision.
    public var baseContentHash: String?
    /// When it was last written.
    public var savedAt: Date
    /// Whether the user has set it aside on purpose: it is resumed when the note is opened, and not offered.
    public var isSetAside: Bool
    /// The caret's offset in bytes of the displayed text, without byte order mark; nil in drafts of earlier
    /// versions.
    public var caret: Int?
    /// The whole text in UTF-8 as typed; invalid bytes of the note are unchanged.
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
    /// The first line of a draft's file, as JSON; the text follows unchanged, so that it can be rescued with
    /// any editor.
    private struct Header: Codable {
        var version: Int
        var name: String
        var path: String?
        var folder: String?
        var baseRevision: String?
        var baseContentHash: String?
        /// Omitted if false, as in earlier versions.
        var setAside: Bool?
        var caret: Int?
        var savedAt: Double
    }

    private static let formatVersion = 1

    /// The bytes of the file: a line of JSON, a newline, the text in UTF-8.
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

    /// Decodes a draft file; nil for any other file, and for one of a newer version.
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
