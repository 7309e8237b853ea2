/// A state of a file that Nextcloud keeps, as a revision: `version/4711/1763989262`,
/// `trash/Plan.txt.d1763989262`.
///
/// Nextcloud does not say which tag a state had. These are no tags, since they have no quotes.
enum NextcloudRevision: Hashable, Sendable {
    /// What was replaced: the file's number, and the version's name, mostly its time.
    case version(fileID: String, name: String)
    /// What was deleted: its name in the trash.
    case deleted(name: String)

    /// Nil for any other revision.
    init?(_ revision: Revision) {
        let parts = revision.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        let names = parts.compactMap(PercentCoding.decode)
        guard names.count == parts.count, names.allSatisfy(Self.isName) else { return nil }
        switch (names.first, names.count) {
        case ("version", 3): self = .version(fileID: names[1], name: names[2])
        case ("trash", 2): self = .deleted(name: names[1])
        default: return nil
        }
    }

    var revision: Revision {
        let names =
            switch self {
            case .version(let fileID, let name): ["version", fileID, name]
            case .deleted(let name): ["trash", name]
            }
        return Revision(rawValue: names.map(PercentCoding.encode).joined(separator: "/"))
    }

    /// Whether a URL can have it as one name.
    static func isName(_ name: String) -> Bool { !name.isEmpty && name != "." && name != ".." }
}
