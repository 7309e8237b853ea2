/// The state of a write on a WebDAV server.
///
/// Source of the states and of the table of responses: `docs/WebDAVWrites.md`.
enum WriteState: Sendable {
    /// Nothing was sent. What is at the path decides which condition to send.
    case inspecting

    /// The path has the revision that the text is based on. At servers with second-based tags, it
    /// may be another text.
    case verifyingBase(WebDAVFile)

    /// The bytes are being sent, with a condition that the server checks if it can.
    case sending(WriteCondition, replacing: WriteEvidence.Base?)

    /// The server says that the condition failed (412).
    case conditionFailed(StoreError, WriteCondition, replacing: WriteEvidence.Base?)

    /// The server failed, or there was no response: the bytes may have arrived.
    case unanswered(StoreError)

    /// The server reported success. What it shows decides.
    case confirming(EntityTag?, replacing: WriteEvidence.Base?)

    /// Something unexpected is at the path: these very bytes, remains of an earlier attempt, or
    /// another member's.
    case occupied(WebDAVResource)

    /// The file was seen on the server with these bytes.
    case saved(WebDAVFile)
}

extension WriteState {
    /// How a write starts: with a request if the server checks the condition, else by checking the path.
    static func first(
        of mode: RemoteWriteMode, isDirect: Bool, capabilities: ServerCapabilities,
        isBaseCertain: Bool
    ) -> WriteState {
        guard !capabilities.isUnchecked else { return .inspecting }
        return switch mode {
        case .create, .add:
            // A large file is not sent before the path is known to be free.
            isDirect && capabilities.honorsIfNoneMatch
                ? .sending(.absent, replacing: nil) : .inspecting
        case .overwrite:
            .inspecting
        case .update(let revision, let hash):
            isDirect && capabilities.honorsIfMatch && isBaseCertain
                && revision.isEntityTag && revision.isSafeInField
                ? .sending(.matches(revision), replacing: .init(revision: revision, hash: hash))
                : .inspecting
        }
    }

    /// The state after looking at the path before anything was sent.
    static func afterInspection(of there: WebDAVResource, mode: RemoteWriteMode) -> WriteState {
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

    /// The state after the server rejected a condition.
    ///
    /// Before a write without a condition is sent, the bytes at the path must confirm what the look has
    /// shown: a listing may lag behind.
    ///
    /// - Parameters:
    ///   - there: What is at the path since.
    ///   - capabilities: The server's.
    ///   - refused: The conditions that were rejected so far, this one included.
    /// - Returns: Nil when the server contradicts itself, and nothing is left to try.
    static func afterRefusal(
        of condition: WriteCondition, there: WebDAVResource, isDirect: Bool,
        capabilities: ServerCapabilities, refused: [WriteCondition] = []
    ) -> WriteState? {
        switch (condition, there) {
        case (.absent, .nothing):
            // A `PUT` without a condition writes to the path that was checked. A `MOVE` may not: a
            // server that mangles its `Destination` rejects it because of another file, which it
            // would replace.
            guard isDirect else { return nil }
            // A server that checks the condition is asked again: something may have been there.
            let isRepeated = refused.count { $0 == .absent } > 1
            return capabilities.honorsIfNoneMatch && !isRepeated
                ? .sending(.absent, replacing: nil) : .sending(.none, replacing: nil)
        case (.matches, .nothing), (.matchesByIf, .nothing):
            return .sending(.absent, replacing: nil)
        case (.matches(let revision), .file(let file)) where file.file.revision == revision:
            let base = WriteEvidence.Base(revision: revision)
            return capabilities.honorsIf && revision.isSafeInField
                ? .sending(.matchesByIf(revision), replacing: base)
                : .sending(.none, replacing: base)
        case (.matchesByIf(let revision), .file(let file)) where file.file.revision == revision:
            // The check may have shown an earlier state: the bytes are compared before.
            return .sending(.none, replacing: .init(revision: revision))
        case (.none, _):
            return nil
        default:
            return .occupied(there)
        }
    }
}
