import DropboxAPI
import Glibc

/// Why a change to the folder failed.
enum ChangeFailure<Refusal: Error & Sendable>: Error {
    /// An error of the API.
    case refused(Refusal)
    /// A disk error.
    case disk(SystemError)
}

/// Moving uploads to their final paths.
extension ClubFolder {
    /// A committed file, and the folders whose change must still be made durable.
    struct Committed: Sendable {
        let metadata: FileMetadata
        let changedFolders: [[String]]
        /// Whether an earlier revision was kept.
        var keptRevisions = false
    }

    /// What a commit needs to know of the file it may replace, requested before the file is sealed.
    struct Target: Sendable {
        let key: String?
        let diskNames: [String]
        let facts: FileFacts?
    }

    func target(of path: String) -> Target {
        guard let found = try? findFile(path) else {
            return Target(key: nil, diskNames: [], facts: nil)
        }
        return Target(
            key: found.entry.key, diskNames: found.diskNames, facts: found.entry.facts)
    }

    /// Commits a sealed file, or reports why not. Nothing is lost either way.
    ///
    /// - Parameter id: For a restored file; others get a new one.
    func commit(
        _ staged: StagedFile, hash: ContentHash, as commit: CommitInfo, id: String? = nil
    ) throws(ChangeFailure<WriteError>) -> Committed {
        defer { publish() }
        try requireFolder(for: WriteError.self)
        var changedFolders: [[String]] = []
        let (folder, name) = try place(for: commit.path, creating: &changedFolders)
        var candidate = name
        var attempt = 0
        // Each iteration either ends or moves on to a name that was just free; other programs can
        // take only so many.
        for _ in 0..<10_000 {
            refresh(folder: folder, name: candidate, toWrite: true)
            let existing = index[folder + "/" + PathNames.key(candidate)]
            let decision = CommitDecision(
                existing: existing, contentHash: hash,
                mode: attempt == 0 ? commit.mode : .add, isStrict: commit.strictConflict)
            switch decision {
            case .keep:
                guard let existing else { continue }
                return Committed(metadata: fileMetadata(of: existing), changedFolders: [])
            case .create:
                guard
                    let entry = try create(
                        staged, hash: hash, commit, name: candidate, in: folder, id: id)
                else { continue }
                changedFolders.append(index.diskNames(of: folder))
                return Committed(
                    metadata: fileMetadata(of: entry), changedFolders: changedFolders)
            case .replace:
                guard let existing,
                    let entry = try replace(existing, with: staged, hash: hash, commit)
                else { continue }
                changedFolders.append(index.diskNames(of: folder))
                return Committed(
                    metadata: fileMetadata(of: entry), changedFolders: changedFolders,
                    keptRevisions: true)
            case .conflict(let conflict):
                guard commit.autorename else { throw .refused(.conflict(conflict)) }
                attempt += 1
                candidate = CommitDecision.otherName(
                    for: name, mode: commit.mode, attempt: attempt)
            }
        }
        throw .refused(.tooManyWriteOperations)
    }

    /// Resolves the folder for a path to be written, creating missing folders.
    func place(
        for path: String, creating changedFolders: inout [[String]]
    ) throws(ChangeFailure<WriteError>) -> (folder: String, name: String) {
        var path = path
        if path.hasPrefix("id:") {
            guard let entry = index.entry(id: path), let parent = entry.parentKey else {
                throw .refused(.malformedPath("There is nothing with this identifier."))
            }
            return (parent, entry.name)
        }
        if path.hasPrefix("ns:\(Self.namespace)/") { path.removeFirst(3 + Self.namespace.count) }
        guard let components = PathNames.components(of: path)?.map(PathNames.normalized),
            let name = components.last
        else { throw .refused(.malformedPath(nil)) }
        // Before any folder is created.
        if let problem = NameRules.problem(with: name) { throw .refused(problem) }
        var folder = ""
        for component in components.dropLast() {
            let key = folder + "/" + PathNames.key(component)
            if index[key] == nil { refresh(folder: folder, name: component, toWrite: true) }
            if let entry = index[key] {
                guard entry.isFolder else { throw .refused(.conflict(.fileAncestor)) }
            } else {
                if let problem = NameRules.problem(with: component) { throw .refused(problem) }
                try makeFolder(component, in: folder, isAncestor: true)
                changedFolders.append(index.diskNames(of: folder))
            }
            folder = key
        }
        return (folder, name)
    }

    /// Creates a folder on disk and adds it to the index.
    ///
    /// - Parameter isAncestor: Whether it is for something that is to be written into it.
    @discardableResult
    func makeFolder(
        _ name: String, in folder: String, isAncestor: Bool = false
    ) throws(ChangeFailure<WriteError>) -> Entry {
        do throws(SystemError) {
            let parent = try access.folder(index.diskNames(of: folder))
            try SystemError.check("mkdir", mkdirat(parent.number, name, 0o777))
            let status = try FileStatus.of(name, in: parent.number)
            let key = folder + "/" + PathNames.key(name)
            let entry = put(
                key: key, name: name, diskName: name, id: newID(),
                content: .folder(inode: status.signature.inode))
            // Another program may have been faster than the watch: read it once it exists.
            syncFolder(key, recursively: true)
            return entry
        } catch {
            if error.code == EEXIST {
                throw .refused(refusal(of: name, in: folder, isAncestor: isAncestor))
            }
            throw WriteError.failure(error)
        }
    }

    /// Why there can be no folder of a name: clients are not shown a link, a pipe or a hidden file that has it, and
    /// must not take it for a note.
    private func refusal(of name: String, in folder: String, isAncestor: Bool) -> WriteError {
        guard NameRules.isShown(name),
            let parent = try? access.folder(index.diskNames(of: folder)),
            let status = try? FileStatus.of(name, in: parent.number), status.kind != .special
        else { return .noWritePermission }
        if status.kind == .folder { return .conflict(.folder) }
        return .conflict(isAncestor ? .fileAncestor : .file)
    }

    /// - Returns: nil when the name was just taken: decide again.
    private func create(
        _ staged: StagedFile, hash: ContentHash, _ commit: CommitInfo, name: String,
        in folder: String, id: String?
    ) throws(ChangeFailure<WriteError>) -> Entry? {
        do throws(SystemError) {
            let parent = try access.folder(index.diskNames(of: folder))
            do throws(SystemError) {
                try access.renameNew(
                    staged.name, in: access.staging.number, to: name, in: parent.number)
            } catch {
                guard error.code == EEXIST else { throw error }
                return try isBlocked(name, in: folder, parent) ? throwBlocked() : nil
            }
            staged.keep()
            return try takeIn(
                staged, hash: hash, commit, key: folder + "/" + PathNames.key(name), name: name,
                diskName: name, id: id.flatMap { index.entry(id: $0) == nil ? $0 : nil } ?? newID())
        } catch {
            throw WriteError.failure(error)
        }
    }

    /// Whether a name is taken by something that is hidden from clients: a link, a pipe, a device.
    private func isBlocked(
        _ name: String, in folder: String, _ parent: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        try FileStatus.of(name, in: parent.number).kind == .special
    }

    private func throwBlocked() throws(SystemError) -> Entry? {
        throw SystemError("rename", code: EACCES)
    }

    /// Swaps the staged file with the one it replaces, and swaps back if that is not the expected
    /// one: another program may just have written it, and its change must be kept.
    ///
    /// - Returns: nil when that happened: decide again.
    private func replace(
        _ existing: Entry, with staged: StagedFile, hash: ContentHash, _ commit: CommitInfo
    ) throws(ChangeFailure<WriteError>) -> Entry? {
        guard let expected = existing.facts, let folder = existing.parentKey else { return nil }
        do throws(SystemError) {
            let parent = try access.folder(index.diskNames(of: folder))
            try announce([existing], ending: .replaced)
            let exchange: FolderAccess.Exchange
            do throws(SystemError) {
                exchange = try access.exchange(
                    staged: staged.name, with: existing.diskName, in: parent.number)
            } catch {
                revisions?.withdraw([expected.revision])
                if error.code == ENOENT { return nil }
                throw error
            }
            if exchange == .swapped {
                // The temporary name now holds the other program's file: it must not be removed
                // with this value, whatever fails from here on.
                staged.keep()
                let old = try FileStatus.of(staged.name, in: access.staging.number)
                guard old.kind == .file, old.signature == expected.signature else {
                    _ = try access.exchange(
                        staged: staged.name, with: existing.diskName, in: parent.number)
                    revisions?.withdraw([expected.revision])
                    return nil
                }
                putAside(expected.revision, staged: staged.name)
            } else {
                try replaceUnseen(existing, expected, with: staged, in: parent.number)
            }
            staged.keep()
            return try takeIn(
                staged, hash: hash, commit, key: existing.key, name: existing.name,
                diskName: existing.diskName, id: existing.id)
        } catch {
            throw WriteError.failure(error)
        }
    }

    /// Replaces a file on a file system without exchange, keeping the old one through a hard link.
    /// Without hard links either, the old one is not kept.
    private func replaceUnseen(
        _ existing: Entry, _ expected: FileFacts, with staged: StagedFile, in parent: Int32
    ) throws(SystemError) {
        let old = "old-" + RandomText.hexadecimal(byteCount: 8)
        let isNamed = linkat(parent, existing.diskName, access.staging.number, old, 0) == 0
        do throws(SystemError) {
            try SystemError.check(
                "rename",
                renameat(access.staging.number, staged.name, parent, existing.diskName))
        } catch {
            if isNamed { access.discard(staged: old) }
            revisions?.withdraw([expected.revision])
            throw error
        }
        if isNamed {
            putAside(expected.revision, staged: old)
        } else {
            revisions?.withdraw([expected.revision])
        }
    }

    private func takeIn(
        _ staged: StagedFile, hash: ContentHash, _ commit: CommitInfo, key: String, name: String,
        diskName: String, id: String
    ) throws(SystemError) -> Entry {
        let facts = FileFacts(
            signature: try staged.status().signature, contentHash: hash,
            clientModified: commit.clientModified, serverModified: .now)
        return put(key: key, name: name, diskName: diskName, id: id, content: .file(facts))
    }
}

extension WriteError {
    /// The API's error when the disk rejects a write; a disk fault has none.
    static func failure(_ error: SystemError) -> ChangeFailure<WriteError> {
        if error.isOutOfSpace { return .refused(.insufficientSpace) }
        if error.isRefused { return .refused(.noWritePermission) }
        if error.code == ENAMETOOLONG {
            return .refused(.malformedPath("The name is too long."))
        }
        return .disk(error)
    }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(secondsSince1970: Int64(time(nil))) }
}
