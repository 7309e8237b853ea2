internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc

/// The outbox as files, in case the database is lost.
///
/// In `outbox` beside the database, mode 0600: `<number>.json` describes a change, and `<number>-<hash>.text`
/// contains the bytes as typed. The files are on disk before the row is committed; if both exist, the row
/// counts.
struct OutboxFiles: Sendable {
    let folder: URL

    init(beside library: URL) { folder = library.appending(path: "outbox") }

    /// The file of a change. Its keys must not change.
    struct Header: Codable, Equatable {
        var version = 1
        var id: Int64
        var action: String
        var path: String
        var destination: String?
        var mode: String?
        var baseRevision: String?
        var baseHash: String?
        var baseChange: Int64?
        var byteCount: Int64
        var contentHash: String?
        /// The file's date, in seconds since 1970.
        var modified: Int64
        /// When the change was made, likewise; nil in files of earlier programs.
        var made: Int64?
        /// The changes that were merged into this one when it was created.
        var replaces: [Int64]?

        init(_ change: WaitingChange) {
            (id, path, destination) = (change.id, change.path.string, nil)
            (byteCount, contentHash) = (change.byteCount, change.contentHash)
            modified = Int64(clamping: change.modified.timeIntervalSince1970)
            made = Int64(clamping: change.date.timeIntervalSince1970)
            switch change.action {
            case .write(let mode): (action, self.mode) = ("write", mode.columnName)
            case .move(let target): (action, destination) = ("move", target.string)
            case .delete: action = "delete"
            }
            switch change.base {
            case .state(let revision, let hash):
                (baseRevision, baseHash) = (revision.rawValue, hash)
            case .change(let id): baseChange = id
            case nil: break
            }
        }

        /// The new row; nil for an unknown action.
        func change(body: Data?) -> OutboxRows.NewChange? {
            guard version == 1, let path = try? RemotePath(validating: path),
                ["write", "move", "delete"].contains(action)
            else { return nil }
            let target = destination.flatMap { try? RemotePath(validating: $0) }
            guard action != "move" || target != nil else { return nil }
            let base: WaitingChange.Base? =
                baseChange.map { .change($0) }
                ?? baseRevision.map { .state(Revision(rawValue: $0), contentHash: baseHash) }
            return OutboxRows.NewChange(
                action: action, path: path, destination: target, mode: mode, base: base,
                byteCount: byteCount, contentHash: contentHash,
                modified: Date(timeIntervalSince1970: Double(modified)),
                date: Date(timeIntervalSince1970: Double(made ?? modified)), wasAttempted: true,
                body: body)
        }

        /// The name of the file with the bytes; the hash distinguishes texts if a number is reused after a
        /// rollback.
        var textName: String? {
            guard action == "write", let hash = contentHash, hash.count == 64,
                hash.utf8.allSatisfy({ isxdigit(Int32($0)) != 0 })
            else { return nil }
            return "\(id)-\(hash.prefix(16)).text"
        }
    }

    // MARK: - Writing

    /// - Parameter text: The bytes of a write.
    func write(_ header: Header, text: () throws -> Data?) throws {
        if let name = header.textName, !hasFile(name, byteCount: header.byteCount) {
            // Written first: a change is useless without its bytes.
            guard let data = try text() else { return }
            try put(data, as: name)
        }
        try write(header)
    }

    func write(_ header: Header) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try put(try encoder.encode(header), as: "\(header.id).json")
    }

    private func put(_ data: Data, as name: String) throws {
        do throws(AtomicFile.Failure) {
            try AtomicFile(url: folder.appending(path: name)).write(data)
        } catch {
            throw LibraryError.unwritable(error.reason)
        }
    }

    func removeHeader(_ id: WaitingChange.ID) { remove("\(id).json") }

    func removeText(of header: Header) {
        if let name = header.textName { remove(name) }
    }

    func remove(_ name: String) { unlink(folder.path + "/" + name) }

    // MARK: - Reading

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }

    /// The readable headers, in the order of their numbers.
    func headers() -> [Header] {
        names.compactMap { name -> Header? in
            guard name.hasSuffix(".json"), let id = Int64(name.dropLast(5)),
                let data = (try? AtomicFile(url: folder.appending(path: name)).read()) ?? nil,
                let header = try? JSONDecoder().decode(Header.self, from: data), header.id == id
            else { return nil }
            return header
        }.sorted { $0.id < $1.id }
    }

    /// The bytes of a write as typed; nil if they are missing or incomplete.
    func text(of header: Header) -> Data? {
        guard let name = header.textName, hasFile(name, byteCount: header.byteCount),
            let data = try? Data(
                contentsOf: folder.appending(path: name), options: .mappedIfSafe),
            LocalCopy.hash(of: data) == header.contentHash
        else { return nil }
        return data
    }

    func hasFile(_ name: String, byteCount: Int64) -> Bool {
        var status = stat()
        return lstat(folder.path + "/" + name, &status) == 0
            && status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) == byteCount
    }
}
