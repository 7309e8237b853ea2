import DropboxAPI

/// One fact in the club's journal, as a line of text with tabs between its fields.
///
/// A later line about a key replaces the earlier ones, so appending is all it takes to change
/// something, and a line cut off by a crash costs that change only.
enum JournalLine: Hashable, Sendable {
    /// The first line: the line of numbers, and how much of it has been forgotten.
    case header(epoch: String, forgotten: UInt64, sequence: UInt64)
    case entry(Entry)
    case gone(Tombstone)

    private static let version = "byteclub-journal-1"

    var text: String {
        switch self {
        case .header(let epoch, let forgotten, let sequence):
            return line([Self.version, epoch, String(forgotten), String(sequence)])
        case .gone(let trace):
            return line([
                "-", String(trace.sequence), trace.wasFile ? "f" : "d", trace.key, trace.name,
                trace.path,
            ])
        case .entry(let entry):
            var fields: [String]
            switch entry.content {
            case .folder(let inode):
                fields = ["d", String(entry.sequence), entry.id, String(inode)]
            case .file(let facts):
                let signature = facts.signature
                fields = [
                    "f", String(entry.sequence), entry.id, String(signature.inode),
                    String(signature.size), String(signature.seconds),
                    String(signature.nanoseconds), facts.revision,
                    facts.contentHash?.hexadecimal ?? "",
                    facts.clientModified.map { String($0.secondsSince1970) } ?? "",
                    String(facts.serverModified.secondsSince1970),
                ]
            }
            return line(fields + [entry.key, entry.name, entry.diskName])
        }
    }

    /// nil for a line that is cut off or from another version.
    init?(_ text: Substring) {
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
            .map(Self.unescaped)
        switch (fields.first, fields.count) {
        case (Self.version, 4):
            guard let forgotten = UInt64(fields[2]), let sequence = UInt64(fields[3]),
                !fields[1].isEmpty
            else { return nil }
            self = .header(epoch: fields[1], forgotten: forgotten, sequence: sequence)
        case ("-", 6):
            guard let sequence = UInt64(fields[1]), fields[3].hasPrefix("/") else { return nil }
            self = .gone(
                Tombstone(
                    key: fields[3], name: fields[4], path: fields[5], sequence: sequence,
                    wasFile: fields[2] == "f"))
        case ("d", 7):
            guard let sequence = UInt64(fields[1]), let inode = UInt64(fields[3]),
                fields[4].hasPrefix("/")
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
        guard let sequence = UInt64(fields[1]), let inode = UInt64(fields[3]),
            let size = Int64(fields[4]), let seconds = Int64(fields[5]),
            let nanoseconds = Int64(fields[6]), fields[7].utf8.count >= 9,
            let serverModified = Int64(fields[10]), fields[11].hasPrefix("/")
        else { return nil }
        let facts = FileFacts(
            signature: FileSignature(
                inode: inode, size: size, seconds: seconds, nanoseconds: nanoseconds),
            contentHash: ContentHash(fields[8]),
            clientModified: Int64(fields[9]).map(Timestamp.init(secondsSince1970:)),
            serverModified: Timestamp(secondsSince1970: serverModified), revision: fields[7])
        return Entry(
            key: fields[11], name: fields[12], diskName: fields[13], id: fields[2],
            sequence: sequence, content: .file(facts))
    }

    private func line(_ fields: [String]) -> String {
        fields.map(Self.escaped).joined(separator: "\t") + "\n"
    }

    // A name may hold anything but a slash; what would break a line is written as %XX.
    private static func escaped(_ field: String) -> String {
        guard field.utf8.contains(where: { $0 == 0x25 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D })
        else { return field }
        var result = ""
        for scalar in field.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\t": result += "%09"
            case "\n": result += "%0A"
            case "\r": result += "%0D"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func unescaped(_ field: Substring) -> String {
        guard field.utf8.contains(0x25) else { return String(field) }
        var bytes: [UInt8] = []
        var rest = field.utf8[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(Substring(rest.prefix(2))), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
