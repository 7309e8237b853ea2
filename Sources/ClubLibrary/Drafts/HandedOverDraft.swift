internal import ByteClubFiles
internal import ByteClubMessages
public import FoundationEssentials
internal import Glibc

/// A draft in a file for another program to edit, such as `$EDITOR`.
///
/// The file is `<id>.edit/note/<name>` in the folder of the drafts, readable only by its owner. Beside it are
/// the original draft, and a lock held by this process and the other program. If both have ended without
/// ``remove()``, after a crash, ``DraftStore/recoverHandedOver()`` turns the file into a draft.
public struct HandedOverDraft: Sendable {
    /// The file for the other program.
    public let path: String
    /// A descriptor that the other program inherits: while it is open, the file is not removed.
    public let lock: CInt
    private let folder: HandOverFolder

    fileprivate init(folder: HandOverFolder, name: String, lock: CInt) {
        (self.folder, self.lock) = (folder, lock)
        path = folder.notes + "/" + name
    }

    /// The current text of the file.
    ///
    /// - Throws: `Failure` if the file cannot be read or has more than `byteLimit` bytes.
    public func text(byteLimit: Int) throws(DraftStore.Failure) -> Data {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno != ENOENT else {
                throw .init(description: localized("The editor removed the file."))
            }
            throw .unreadable
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .init(
                description: localized("The editor left something else in place of the file."))
        }
        guard status.st_size <= byteLimit else {
            throw .init(
                description: localized(
                    "The text is larger than a note may be (\(byteLimit >> 20) MiB)."))
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unreadable
        }
        return data
    }

    /// Whether the other program has left no file at all, under no name.
    public var isEmpty: Bool { folder.isEmpty }

    /// Whether the other program has left other files, such as vim's swap file.
    public var hasRemnants: Bool { folder.hasRemnants }

    /// Removes the file and everything beside it.
    public func remove() {
        try? FileManager.default.removeItem(atPath: folder.path)
        LockedFile.close(lock)
    }

    /// Removes the file unless the other program still runs in the background. What it saves then becomes a
    /// draft by ``DraftStore/recoverHandedOver()`` once it has ended.
    public func removeUnlessOpen() -> Removal {
        // Closed and not unlocked: the other program shares the lock.
        close(lock)
        let probe = open(folder.lock, O_RDWR | O_CLOEXEC)
        guard probe >= 0 else { return .removed }
        defer { LockedFile.close(probe) }
        // A child process that is being started holds it briefly, too.
        for attempt in 0..<5 where LockedFile.attempt(probe) != .taken {
            guard attempt < 4 else { return .isOpen }
            usleep(10_000)
        }
        try? FileManager.default.removeItem(atPath: folder.path)
        return .removed
    }

    public enum Removal: Sendable { case removed, isOpen }

    /// Releases the file without removing it.
    ///
    /// - Returns: The folder that contains it.
    public func leave() -> String {
        let place = folder.setAside()
        LockedFile.close(lock)
        return place
    }
}

extension DraftStore {
    /// Writes a draft's text to a file for another program.
    ///
    /// - Parameter name: The file's name, from which editors derive the kind of text.
    /// - Throws: `Failure` if it cannot be written; nothing is left then.
    public func handOver(_ draft: Draft, named name: String) throws -> HandedOverDraft {
        try makeFolder()
        let isUsable = !name.isEmpty && !name.hasPrefix(".") && !name.contains("/")
        let name = isUsable ? name : "note.txt"
        // An editor that survived a crash may still have the first one open.
        for id in [draft.id, UUID()] {
            let made = HandOverFolder(path: handOverPath(id) + ".new")
            guard access(handOverPath(id), F_OK) != 0, mkdir(made.path, 0o700) == 0 else {
                continue
            }
            do {
                return try fill(made, draft, name, movingTo: HandOverFolder(path: handOverPath(id)))
            } catch {
                try? FileManager.default.removeItem(atPath: made.path)
                throw error
            }
        }
        throw Failure.unwritable
    }

    private func fill(
        _ made: HandOverFolder, _ draft: Draft, _ name: String, movingTo folder: HandOverFolder
    ) throws -> HandedOverDraft {
        let lock = open(made.lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw Failure.unwritable }
        do {
            guard LockedFile.attempt(lock) == .taken, mkdir(made.notes, 0o700) == 0 else {
                throw Failure.unwritable
            }
            try write(draft.encoded(), to: made.original)
            try write(Data(name.utf8), to: made.name)
            try write(draft.text, to: made.notes + "/" + name)
            // Renamed when it is complete.
            guard rename(made.path, folder.path) == 0 else {
                throw Failure.unwritable
            }
        } catch {
            LockedFile.close(lock)
            throw error
        }
        return HandedOverDraft(folder: folder, name: name, lock: lock)
    }

    /// Makes drafts of the files that other programs have saved, if the run that created them has crashed.
    public func recoverHandedOver() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasSuffix(Self.handOverSuffix) {
            guard let id = UUID(uuidString: String(name.dropLast(Self.handOverSuffix.count))) else {
                continue
            }
            let folder = HandOverFolder(path: handOverPath(id))
            let lock = open(folder.lock, O_RDWR | O_CLOEXEC)
            guard lock >= 0 else { continue }
            defer { LockedFile.close(lock) }
            guard LockedFile.attempt(lock) == .taken, recover(id, from: folder) == .done else {
                continue
            }
            if folder.hasRemnants {
                _ = folder.setAside()
            } else {
                try? FileManager.default.removeItem(atPath: folder.path)
            }
        }
    }

    private enum Recovery { case done, failed }

    private func recover(_ id: UUID, from folder: HandOverFolder) -> Recovery {
        let files = FileManager.default
        guard let original = files.contents(atPath: folder.original),
            let name = files.contents(atPath: folder.name),
            let draft = Draft(id: id, decoding: original),
            let text = files.contents(
                atPath: folder.notes + "/" + String(decoding: name, as: UTF8.self))
        else { return .failed }
        do {
            // The original draft may exist nowhere else; a note's text is in the club.
            let isNote = draft.baseContentHash == LocalCopy.hash(of: draft.text)
            if !isNote, !draft.text.isEmpty { try keepIfMissing(draft) }
            guard text != draft.text else { return .done }
            // A separate draft: the other program may have been killed during a save.
            let recovered = Draft(
                id: UUID(), name: draft.name, path: draft.path, folder: draft.folder,
                baseRevision: draft.baseRevision, baseContentHash: draft.baseContentHash,
                savedAt: Date(), text: text)
            try save(recovered, sequence: 0)
            release(recovered.id)
            return .done
        } catch {
            return .failed
        }
    }
}

extension DraftStore.Failure {
    /// The file for the other program cannot be read, for the reason in `errno`.
    fileprivate static var unreadable: Self {
        .system(localized("The temporary file cannot be read"))
    }

    /// The file for the other program cannot be written, for the reason in `errno`.
    fileprivate static var unwritable: Self {
        .system(localized("The temporary file cannot be written"))
    }
}

/// The files of a draft that another program edits.
private struct HandOverFolder {
    let path: String

    var lock: String { path + "/lock" }
    /// The original draft.
    var original: String { path + "/original" }
    /// Contains the name of the file in ``notes``.
    var name: String { path + "/name" }
    /// The folder visible to the other program.
    var notes: String { path + "/note" }

    var hasRemnants: Bool { count > 1 }

    var isEmpty: Bool { count == 0 }

    private var count: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: notes)) ?? []).count
    }

    /// Renames the folder so that later starts ignore it.
    ///
    /// - Returns: Its new path.
    func setAside() -> String {
        for place in [path + ".left", path + "." + UUID().uuidString]
        where access(place, F_OK) != 0 && rename(path, place) == 0 { return place }
        return path
    }
}
