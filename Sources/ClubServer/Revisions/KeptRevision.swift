import DropboxAPI

/// An earlier revision of a file, kept as long as ``RevisionLimits`` allow.
///
/// Its bytes are in a file of their own, named after the revision.
struct KeptRevision: Hashable, Sendable {
    /// The file's identifier, constant through all moves.
    let id: String
    /// The file's path at that time.
    let key: String
    let name: String
    /// The display path.
    let path: String
    var facts: FileFacts
    /// Shows whether its bytes are unchanged since they were kept.
    var blob: FileSignature
    /// Why it is no longer the latest; nil while it is.
    var ending: Ending?
    /// When it was kept.
    var kept: Timestamp
    /// A counter: later revisions have larger values.
    var order: UInt64 = 0

    enum Ending: String, Sendable {
        /// The file was overwritten, or moved away.
        case replaced = "r"
        case deleted = "d"
    }

    var revision: String { facts.revision }
    var byteCount: Int64 { max(0, blob.size) }
}

/// One fact in the revision log, as a line of text.
///
/// As in the journal, a later line about a revision replaces the earlier ones, and a line truncated by
/// a crash costs only that revision.
enum RevisionLine: Hashable, Sendable {
    /// The first line.
    case header
    case kept(KeptRevision)
    case dropped(revision: String)
    case clock(ExpiryClock)

    private static let family = "byteclub-revisions-"
    private static let version = family + "1"
    /// The last field of a complete line.
    private static let end = "."
    private static let fieldCount = 9 + FileFacts.fieldCount + FileSignature.fieldCount

    var text: String {
        switch self {
        case .header: TabbedLine.text([Self.version])
        case .dropped(let revision): TabbedLine.text(["-", revision])
        case .clock(let clock):
            TabbedLine.text(
                ["t", String(clock.believed), clock.claimed.map { String($0) } ?? "", Self.end])
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

    /// Whether a first line announces another format.
    static func isOfAnotherVersion(_ line: String) -> Bool {
        line.hasPrefix(family) && line != version
    }

    /// nil for a truncated line or one of another version.
    init?(_ text: Substring) {
        let fields = TabbedLine.fields(of: text)
        switch (fields.first, fields.count) {
        case (Self.version, 1): self = .header
        case ("-", 2): self = .dropped(revision: fields[1])
        case ("t", 4):
            guard let believed = Int64(fields[1]), fields[3] == Self.end else { return nil }
            self = .clock(ExpiryClock(believed: believed, claimed: Int64(fields[2])))
        case ("+", Self.fieldCount):
            let blobStart = 3 + FileFacts.fieldCount
            let rest = Array(fields[(blobStart + FileSignature.fieldCount)...])
            guard let order = UInt64(fields[1]),
                let facts = FileFacts(fields: fields[3..<blobStart]),
                let blob = FileSignature(
                    fields: fields[blobStart..<(blobStart + FileSignature.fieldCount)]),
                let seconds = Int64(rest[0]), rest[2].utf8.first == UInt8(ascii: "/"),
                rest[5] == Self.end,
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
