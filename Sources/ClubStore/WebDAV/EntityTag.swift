import FoundationEssentials

/// A server's name for one state of a file (RFC 9110 §8.8.3), freed of what servers do to it.
///
/// The same state has been seen with quotes in a header and without in a property, with `W/` while
/// the file is fresh and without a second later (Apache), and with the name of a compression
/// behind it. What remains is what can be compared.
struct EntityTag: Hashable, Sendable {
    /// What is between the quotes.
    let opaque: String

    /// Whether the server does not vouch for every byte; it then matches no `If-Match`.
    let isWeak: Bool

    /// Nil for an empty one.
    init?(_ field: String) {
        var rest = field.drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        isWeak = rest.hasPrefix("W/") || rest.hasPrefix("w/")
        if isWeak { rest = rest.dropFirst(2) }
        if rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") {
            rest = rest.dropFirst().dropLast()
        }
        for coding in ["--gzip", "-gzip", ";gzip"] where rest.hasSuffix(coding) {
            rest = rest.dropLast(coding.count)
        }
        guard !rest.isEmpty, !rest.contains("\"") else { return nil }
        opaque = String(rest)
    }

    /// As a revision, which is as a strong tag stands in a field.
    var revision: Revision { Revision(rawValue: "\"\(opaque)\"") }

    /// Whether it looks as if it were made of the time in seconds, so that two states of one second
    /// and one length have the same.
    func isCoarse(modified: Date) -> Bool {
        let seconds = Int64(modified.timeIntervalSince1970)
        let runs = opaque.lowercased().split { !$0.isLetter && !$0.isNumber }
        return runs.contains { $0 == String(seconds) || $0 == String(seconds, radix: 16) }
    }
}

extension RemoteFile {
    /// Whether no two states of the file, at a server that tells no hash, have this revision.
    var hasExactRevision: Bool {
        guard revision.isEntityTag, let tag = EntityTag(revision.rawValue) else { return false }
        return !tag.isCoarse(modified: modified)
    }
}

extension Revision {
    /// What stands for a tag at a server that gives none.
    init(byteCount: Int64, modified: Date) {
        self.init(rawValue: "\(Int64(modified.timeIntervalSince1970))-\(byteCount)")
    }

    /// Whether it is a server's tag and can stand in `If-Match`.
    var isEntityTag: Bool { rawValue.hasPrefix("\"") }

    /// It as a line in a field: a tag may be anything a server could send.
    var isSafeInField: Bool { rawValue.utf8.allSatisfy { $0 >= 0x21 && $0 != 0x7F } }
}
