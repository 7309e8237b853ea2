/// Where a write on a WebDAV server stands.
///
/// Source of the states and of the table of answers: `docs/WebDAVWrites.md`.
enum WriteState: Sendable {
    /// Nothing was sent. What is at the path decides on which condition to send.
    case inspecting

    /// The path holds the revision that the text is based on. At servers whose tags are made of a second
    /// and a length, that may be another text.
    case verifyingBase(WebDAVFile)

    /// The bytes are sent, on a condition that the server checks where it can.
    case sending(WriteCondition, replacing: WriteEvidence.Base?)

    /// The server says that the condition does not hold (412).
    case conditionFailed(StoreError, WriteCondition, replacing: WriteEvidence.Base?)

    /// The server failed, or no answer came: the bytes may have arrived.
    case unanswered(StoreError)

    /// The server says yes. What it shows decides.
    case confirming(EntityTag?, replacing: WriteEvidence.Base?)

    /// Something is at the path that was not expected: these very bytes, what an earlier attempt has
    /// left, or somebody else's.
    case occupied(WebDAVResource)

    /// The file was seen on the server with these bytes.
    case saved(WebDAVFile)
}

extension WriteState {
    /// How a write begins: with a request where the server checks the condition, else with a look.
    static func first(
        of mode: WriteMode, isDirect: Bool, capabilities: ServerCapabilities, isBaseCertain: Bool
    ) -> WriteState {
        switch mode {
        case .create, .add:
            // A large file is not sent before it is known that nothing is in its way.
            isDirect && capabilities.honoursIfNoneMatch
                ? .sending(.absent, replacing: nil) : .inspecting
        case .overwrite:
            .inspecting
        case .update(let revision, let hash):
            isDirect && capabilities.honoursIfMatch && isBaseCertain
                && revision.isEntityTag && revision.isSafeInField
                ? .sending(.matches(revision), replacing: .init(revision: revision, hash: hash))
                : .inspecting
        }
    }

    /// What follows from what is at the path before anything was sent.
    static func afterInspection(of there: WebDAVResource, mode: WriteMode) -> WriteState {
        switch (mode, there) {
        case (.create, .nothing), (.add, .nothing), (.update, .nothing):
            .sending(.absent, replacing: nil)
        case (.overwrite, .nothing):
            .sending(.none, replacing: nil)
        case (.overwrite, .file(let file)):
            .sending(.none, replacing: .init(revision: file.file.revision))
        case (.update(let revision, _), .file(let file)) where file.file.revision == revision:
            .verifyingBase(file)
        default:
            .occupied(there)
        }
    }

    /// What follows when the server refused a condition.
    ///
    /// - Parameters:
    ///   - there: What a look has shown since.
    ///   - capabilities: Of the server.
    /// - Returns: Nil when the server contradicts itself, and nothing is left to try.
    static func afterRefusal(
        of condition: WriteCondition, there: WebDAVResource, isDirect: Bool,
        capabilities: ServerCapabilities
    ) -> WriteState? {
        switch (condition, there) {
        case (.absent, .nothing):
            // A `PUT` without a condition goes where the look was. A `MOVE` may not: a server that
            // mangles its `Destination` refuses because of another file, which it would replace.
            return isDirect ? .sending(.none, replacing: nil) : nil
        case (.matches, .nothing), (.matchesByIf, .nothing):
            return .sending(.absent, replacing: nil)
        case (.matches(let revision), .file(let file)) where file.file.revision == revision:
            let base = WriteEvidence.Base(revision: revision)
            return capabilities.honoursIf && revision.isSafeInField
                ? .sending(.matchesByIf(revision), replacing: base)
                : .sending(.none, replacing: base)
        case (.matchesByIf(let revision), .file(let file)) where file.file.revision == revision:
            return .sending(.none, replacing: .init(revision: revision))
        case (.none, _):
            return nil
        default:
            return .occupied(there)
        }
    }
}
