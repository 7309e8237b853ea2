import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials

/// A file in the `--json` output of the listing commands. These fields must not change.
struct ListedFile: Encodable {
    /// The file's name, unescaped.
    var name: String
    /// In bytes.
    var size: Int64
    /// In UTC: `2026-11-21T20:15:00Z`.
    var modified: String
    /// Changes exactly when the file changes.
    var revision: String
    /// The path in the club: `/photos/cliff.jpg`.
    var path: String

    init(_ file: RemoteFile) {
        name = file.name
        size = file.byteCount
        modified = file.modified.ISO8601Format()
        revision = file.revision.word
        path = file.path.string
    }
}

extension Output {
    /// Runs an operation on files one by one, and lists the completed ones as JSON, also if one fails.
    static func listing(
        asJSON isJSON: Bool, _ body: (inout [ListedFile]) async throws -> Void
    ) async throws {
        var done: [ListedFile] = []
        do {
            try await body(&done)
        } catch {
            if isJSON { try json(done) }
            throw error
        }
        if isJSON { try json(done) }
    }

    /// Writes a listing; reports skipped entries on standard error.
    ///
    /// - Parameters:
    ///   - folders: Shown only as text: JSON is a list of files.
    ///   - top: The folder that names are relative to; nil for plain names.
    static func list(
        _ shown: [RemoteFile], folders: [RemotePath] = [], from top: RemotePath? = nil,
        of files: ClubFiles, asJSON isJSON: Bool
    ) throws {
        if isJSON {
            try json(shown.map(ListedFile.init))
        } else {
            let lines = FileLines.lines(for: shown, folders: folders, from: top, now: Date())
            for text in lines { line(text) }
        }
        if let complaint = files.complaint { complain(complaint) }
    }
}
