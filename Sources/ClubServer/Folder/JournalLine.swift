import DropboxAPI

/// One fact in the club's journal, as a line of tab-separated fields.
///
/// A later line about a key replaces the earlier ones, so every change is an append, and a line
/// truncated by a crash costs only that change.
enum JournalLine: Hashable, Sendable {
    /// The first line: the epoch, and how much of it has been dropped.
    case header(epoch: String, forgotten: UInt64, sequence: UInt64)
    case entry(Entry)
    case gone(Tombstone)

    private static let version = "byteclub-journal-1"
    private static let slash = UInt8(ascii: "/")

    var text: String {
        switch self {
        case .header(let epoch, let forgotten, let sequence):
            return TabbedLine.text([Self.version, epoch, String(forgotten), String(sequence)])
        case .gone(let trace):
            return TabbedLine.text([
                "-", String(trace.sequence), trace.wasFile ? "f" : "d", trace.key, trace.name,
                trace.path,
            ])
        case .entry(let entry):
            var fields: [String]
            switch entry.content {
            case .folder(let inode):
                fields = ["d", String(entry.sequence), entry.id, String(inode)]
            case .file(let facts):
                fields = ["f", String(entry.sequence), entry.id] + facts.fields
            }
            return TabbedLine.text(fields + [entry.key, entry.name, entry.diskName])
        }
    }

    /// nil for a truncated line or one of another version.
    init?(_ text: Substring) {
        let fields = TabbedLine.fields(of: text)
        switch (fields.first, fields.count) {
        case (Self.version, 4):
            guard let forgotten = UInt64(fields[2]), let sequence = UInt64(fields[3]),
                !fields[1].isEmpty
            else { return nil }
            self = .header(epoch: fields[1], forgotten: forgotten, sequence: sequence)
        case ("-", 6):
            guard let sequence = UInt64(fields[1]), fields[3].utf8.first == Self.slash else {
                return nil
            }
            self = .gone(
                Tombstone(
                    key: fields[3], name: fields[4], path: fields[5], sequence: sequence,
                    wasFile: fields[2] == "f"))
        case ("d", 7):
            guard let sequence = UInt64(fields[1]), let inode = UInt64(fields[3]),
                fields[4].utf8.first == Self.slash
            else { return nil }
            self = .entry(
                Entry(
                    key: fields[4], name: fields[5], diskName: fields[6], id: fields[2],
                    sequence: sequence, content: .folder(inode: inode)))
        case ("f", 14):
            guard let entry = Self.file(fields) else { return nil }
            self = .entry(entry)
        default:
            return nil
        }
    }

    private static func file(_ fields: [String]) -> Entry? {
        guard let sequence = UInt64(fields[1]), let facts = FileFacts(fields: fields[3..<11]),
            fields[11].utf8.first == Self.slash
        else { return nil }
        return Entry(
            key: fields[11], name: fields[12], diskName: fields[13], id: fields[2],
            sequence: sequence, content: .file(facts))
    }
}
