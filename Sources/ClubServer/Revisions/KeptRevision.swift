import DropboxAPI

/// An earlier content of a file, kept for as long as ``RevisionLimits`` allow.
///
/// Its bytes lie in a file of their own, named for the revision.
struct KeptRevision: Hashable, Sendable {
    /// The file's identifier, which it has had through all moves.
    let id: String
    /// Where the file was at that time.
    let key: String
    let name: String
    /// The path as it was shown.
    let path: String
    var facts: FileFacts
    /// What tells whether its bytes are still those that were put aside.
    var blob: FileSignature
    /// Why it is no longer the latest; nil while it is.
    var ending: Ending?
    /// When it was put aside.
    var kept: Timestamp
    /// Counts what was kept: the larger, the later.
    var order: UInt64 = 0

    enum Ending: String, Sendable {
        /// The file was written again, or moved away.
        case replaced = "r"
        case deleted = "d"
    }

    var revision: String { facts.revision }
    var byteCount: Int64 { max(0, blob.size) }
}

/// One fact in the log of revisions, as a line of text.
///
/// As in the journal, a later line about a revision replaces the earlier ones, and a line cut off by a
/// crash costs that revision only.
enum RevisionLine: Hashable, Sendable {
    /// The first line.
    case header
    case kept(KeptRevision)
    case dropped(revision: String)

    private static let family = "byteclub-revisions-"
    private static let version = family + "1"
    /// The last field of a line that is whole.
    private static let end = "."
    private static let fieldCount = 9 + FileFacts.fieldCount + FileSignature.fieldCount

    var text: String {
        switch self {
        case .header: TabbedLine.text([Self.version])
        case .dropped(let revision): TabbedLine.text(["-", revision])
        case .kept(let kept):
            TabbedLine.text(
                ["+", String(kept.order), kept.ending?.rawValue ?? ""] + kept.facts.fields
                    + kept.blob.fields
                    + [
                        String(kept.kept.secondsSince1970), kept.id, kept.key, kept.name,
                        kept.path, Self.end,
                    ])
        }
    }

    /// Whether a first line says that those after it are written otherwise.
    static func isOfAnotherVersion(_ line: String) -> Bool {
        line.hasPrefix(family) && line != version
    }

    /// nil for a line that is cut off or from another version.
    init?(_ text: Substring) {
        let fields = TabbedLine.fields(of: text)
        switch (fields.first, fields.count) {
        case (Self.version, 1): self = .header
        case ("-", 2): self = .dropped(revision: fields[1])
        case ("+", Self.fieldCount):
            let blobStart = 3 + FileFacts.fieldCount
            let rest = Array(fields[(blobStart + FileSignature.fieldCount)...])
            guard let order = UInt64(fields[1]),
                let facts = FileFacts(fields: fields[3..<blobStart]),
                let blob = FileSignature(
                    fields: fields[blobStart..<(blobStart + FileSignature.fieldCount)]),
                let seconds = Int64(rest[0]), rest[2].hasPrefix("/"), rest[5] == Self.end,
                // It names a file.
                facts.revision.utf8.allSatisfy({
                    (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
                })
            else { return nil }
            self = .kept(
                KeptRevision(
                    id: rest[1], key: rest[2], name: rest[3], path: rest[4], facts: facts,
                    blob: blob, ending: KeptRevision.Ending(rawValue: fields[2]),
                    kept: Timestamp(secondsSince1970: seconds), order: order))
        default: return nil
        }
    }
}
