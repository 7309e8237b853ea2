import DropboxAPI
import Glibc

/// Creating, deleting and moving.
extension ClubFolder {
    /// A completed change, and the disk work that remains.
    struct Changed: Sendable {
        let metadata: Metadata
        /// Folders to make durable.
        let changedFolders: [[String]]
        /// Staged items to remove.
        var discarded: String?
        /// Whether earlier revisions were kept.
        var keptRevisions = false
    }

    /// The maximum number of files and folders that one call moves or copies.
    static let relocationLimit = 10_000

    func createFolder(
        _ path: String, autorename: Bool
    ) throws(ChangeFailure<WriteError>) -> (metadata: FolderMetadata, changedFolders: [[String]]) {
        defer { publish() }
        try requireFolder(for: WriteError.self)
        var changedFolders: [[String]] = []
        let (folder, name) = try place(for: path, creating: &changedFolders)
        var candidate = name
        var attempt = 0
        while true {
            refresh(folder: folder, name: candidate, toWrite: true)
            if let existing = index[folder + "/" + PathNames.key(candidate)] {
                guard autorename, attempt < 10_000 else {
                    throw .refused(.conflict(existing.isFolder ? .folder : .file))
                }
                attempt += 1
                candidate = NameRules.numbered(name, attempt)
                continue
            }
            let entry = try makeFolder(candidate, in: folder)
            changedFolders.append(index.diskNames(of: folder))
            return (folderMetadata(of: entry), changedFolders)
        }
    }

    /// Removes a file or folder from the club at once. Its bytes are deleted afterwards.
    ///
    /// A folder only while clients can see all that is in it: nobody has agreed to the removal of the
    /// rest, and no revision is kept of it.
    func delete(
        _ path: String, parentRevision: String?
    ) throws(ChangeFailure<DeleteError>) -> Changed {
        defer { publish() }
        try requireFolder(for: DeleteError.self)
        let entry: Entry
        do throws(LookupError) {
            entry = try find(path)
        } catch {
            throw .refused(.pathLookup(error))
        }
        guard let folder = entry.parentKey else {
            throw .refused(.pathLookup(.malformedPath("The root folder cannot be deleted.")))
        }
        if let parentRevision {
            guard let facts = entry.facts else { throw .refused(.pathLookup(.notFile)) }
            guard facts.revision == parentRevision else {
                throw .refused(.pathWrite(.conflict(.file)))
            }
        }
        if entry.isFolder { syncFolder(entry.key, recursively: true) }
        let metadata = metadata(of: entry)
        let trash = "trash-" + RandomText.hexadecimal(byteCount: 8)
        let diskFolder = index.diskNames(of: folder)
        let files = revisions == nil ? [] : filesToKeep(of: entry)
        do throws(SystemError) {
            try announce(files.map(\.entry), ending: .deleted)
            let parent = try access.folder(diskFolder)
            if entry.isFolder { try requireListed(entry, at: entry.diskName, in: parent.number) }
            try access.renameNew(
                entry.diskName, in: parent.number, to: trash, in: access.staging.number)
            if entry.isFolder {
                // Another program may just have added something.
                do throws(SystemError) {
                    try requireListed(entry, at: trash, in: access.staging.number)
                } catch {
                    try putBack(trash, as: entry.diskName, in: parent.number)
                    refresh(folder: folder, name: entry.name)
                    throw error
                }
            }
            if let expected = entry.facts, parentRevision != nil {
                // Another program may just have written it; a file that was not meant is put back.
                let status = try FileStatus.of(trash, in: access.staging.number)
                if status.signature != expected.signature {
                    try putBack(trash, as: entry.diskName, in: parent.number)
                    refresh(folder: folder, name: entry.name)
                    throw SystemError("delete", code: ESTALE)
                }
            }
        } catch {
            revisions?.withdraw(files.compactMap(\.entry.facts?.revision))
            if error.code == ESTALE { throw .refused(.pathWrite(.conflict(.file))) }
            if error.code == ENOTEMPTY { throw .refused(.pathWrite(.conflict(.folder))) }
            if error.isMissing { throw .refused(.pathLookup(.notFound)) }
            switch WriteError.failure(error) {
            case .refused(let refusal): throw .refused(.pathWrite(refusal))
            case .disk(let error): throw .disk(error)
            }
        }
        putAside(files, trash: trash)
        remove(entry.key)
        if contested.contains(entry.key) { syncFolder(folder, recursively: false) }
        return Changed(
            metadata: metadata, changedFolders: [diskFolder], discarded: trash,
            keptRevisions: !files.isEmpty)
    }

    /// - Throws: ``SystemError``, `ENOTEMPTY` when there is something in a folder that clients cannot
    ///   see: hidden files, links, names that are not UTF-8, a file still being written.
    private func requireListed(
        _ entry: Entry, at diskName: String, in parent: Int32
    ) throws(SystemError) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let folder = try Descriptor.opened("open", openat(parent, diskName, flags))
        // By bytes: two forms of one name are equal as strings.
        var children: [DiskName: Entry] = [:]
        for child in index.childKeys(of: entry.key).compactMap({ index[$0] }) {
            children[DiskName(child.diskName)] = child
        }
        for name in try FolderAccess.names(in: folder.number) {
            guard let child = children[name] else { throw SystemError("delete", code: ENOTEMPTY) }
            if child.isFolder { try requireListed(child, at: child.diskName, in: folder.number) }
        }
    }

    /// Returns a staged item to the folder it came from, under another name if its own was taken.
    private func putBack(
        _ staged: String, as diskName: String, in parent: Int32
    ) throws(SystemError) {
        var name = diskName
        for number in 1...10_000 {
            do throws(SystemError) {
                return try access.renameNew(
                    staged, in: access.staging.number, to: name, in: parent)
            } catch {
                guard error.code == EEXIST else { throw error }
                name = NameRules.numbered(diskName, number)
            }
        }
        throw SystemError("rename", code: EEXIST)
    }

    func move(_ argument: RelocationArg) throws(ChangeFailure<RelocationError>) -> Changed {
        defer { publish() }
        try requireFolder(for: RelocationError.self)
        let source = try source(of: argument)
        guard let sourceFolder = source.parentKey else {
            throw .refused(.fromLookup(.malformedPath("The root folder cannot be moved.")))
        }
        var changedFolders = [index.diskNames(of: sourceFolder)]
        let target = try destination(
            of: argument, source: source, isCopy: false, creating: &changedFolders)
        let below = index.descendants(of: source.key).sorted {
            ByteOrder.isBefore($0.key, $1.key)
        }
        if below.count > Self.relocationLimit { throw .refused(.tooManyFiles) }
        do throws(SystemError) {
            let from = try access.folder(index.diskNames(of: sourceFolder))
            let to = try access.folder(index.diskNames(of: target.folder))
            try access.renameNew(
                source.diskName, in: from.number, to: target.name, in: to.number)
        } catch {
            throw Self.relocationFailure(error)
        }
        changedFolders.append(index.diskNames(of: target.folder))
        let moved = adopt(source, below: below, at: target)
        if contested.contains(source.key) { syncFolder(sourceFolder, recursively: false) }
        return Changed(metadata: metadata(of: moved), changedFolders: changedFolders)
    }

    /// What is copied, as it was before.
    struct CopySource: Sendable {
        var entry: Entry
        /// What is in it.
        let below: [Entry]
        let diskNames: [String]
    }

    /// The source of a copy; the copying itself runs outside the actor.
    func copySource(
        _ argument: RelocationArg
    ) throws(ChangeFailure<RelocationError>) -> CopySource {
        let source = try source(of: argument)
        guard source.parentKey != nil else {
            throw .refused(.fromLookup(.malformedPath("The root folder cannot be copied.")))
        }
        let below = index.descendants(of: source.key)
        if below.count > Self.relocationLimit { throw .refused(.tooManyFiles) }
        return CopySource(
            entry: source, below: below, diskNames: index.diskNames(of: source.key))
    }

    /// Commits a finished copy from the staging folder.
    ///
    /// - Parameter copied: The files that did not change while they were copied.
    func finishCopy(
        staged: String, of source: CopySource, copied: Set<FileSignature>,
        _ argument: RelocationArg
    ) throws(ChangeFailure<RelocationError>) -> Changed {
        defer { publish() }
        try requireFolder(for: RelocationError.self)
        var changedFolders: [[String]] = []
        let target = try destination(
            of: argument, source: source.entry, isCopy: true, creating: &changedFolders)
        do throws(SystemError) {
            let to = try access.folder(index.diskNames(of: target.folder))
            try access.renameNew(
                staged, in: access.staging.number, to: target.name, in: to.number)
        } catch {
            throw Self.relocationFailure(error)
        }
        changedFolders.append(index.diskNames(of: target.folder))
        refresh(folder: target.folder, name: target.name)
        let key = target.folder + "/" + PathNames.key(target.name)
        takeOver(source, copied: copied, at: key)
        guard let entry = index[key] else { throw .refused(.internalError) }
        return Changed(metadata: metadata(of: entry), changedFolders: changedFolders)
    }

    /// Gives copies the hash and the client's time of what they are copies of.
    private func takeOver(_ source: CopySource, copied: Set<FileSignature>, at key: String) {
        for original in [source.entry] + source.below {
            let copyKey = key + original.key.dropFirst(source.entry.key.count)
            guard let facts = original.facts, copied.contains(facts.signature),
                let copy = index[copyKey], var copyFacts = copy.facts,
                copyFacts.signature.isCopy(of: facts.signature),
                // A spelling may belong to another file now.
                copyKey == key || DiskName(copy.diskName) == DiskName(original.diskName)
            else { continue }
            copyFacts.contentHash = facts.contentHash
            copyFacts.clientModified = facts.clientModified
            copyFacts.serverModified = .now
            annotate(copyKey, copyFacts)
        }
    }

    // MARK: - The two ends

    private func source(
        of argument: RelocationArg
    ) throws(ChangeFailure<RelocationError>) -> Entry {
        do throws(LookupError) {
            return try find(argument.fromPath)
        } catch {
            throw .refused(.fromLookup(error))
        }
    }

    /// Finds a free path, or reports the conflict.
    private func destination(
        of argument: RelocationArg, source: Entry, isCopy: Bool,
        creating changedFolders: inout [[String]]
    ) throws(ChangeFailure<RelocationError>) -> (folder: String, name: String) {
        let folder: String
        let name: String
        if let key = try? location(of: argument.toPath), case .place(let parent, let last) = key {
            let target = parent + "/" + PathNames.key(last)
            if source.isFolder, ClubIndex.isBelow(target, source.key) {
                throw .refused(.cannotMoveFolderIntoItself)
            }
        }
        do throws(ChangeFailure<WriteError>) {
            (folder, name) = try place(for: argument.toPath, creating: &changedFolders)
        } catch {
            throw Self.relocationFailure(error)
        }
        var candidate = name
        for attempt in 1...10_000 {
            let key = folder + "/" + PathNames.key(candidate)
            refresh(folder: folder, name: candidate, toWrite: true)
            guard let existing = index[key] else { return (folder, candidate) }
            if existing.key == source.key, !isCopy, !argument.autorename {
                // Only the case changes: the disk supports what Dropbox does not.
                if existing.diskName != candidate { return (folder, candidate) }
                throw .refused(.duplicatedOrNestedPaths)
            }
            guard argument.autorename else {
                throw .refused(.to(.conflict(existing.isFolder ? .folder : .file)))
            }
            candidate = NameRules.numbered(name, attempt)
        }
        throw .refused(.to(.tooManyWriteOperations))
    }

    /// Adds a moved entry and everything below it under its new path.
    private func adopt(
        _ source: Entry, below: [Entry], at target: (folder: String, name: String)
    ) -> Entry {
        let key = target.folder + "/" + PathNames.key(target.name)
        if key != source.key { remove(source.key) }
        let moved = put(
            key: key, name: target.name, diskName: target.name, id: source.id,
            content: source.content)
        for entry in below {
            let newKey = key + entry.key.dropFirst(source.key.count)
            _ = put(
                key: newKey, name: entry.name, diskName: entry.diskName, id: entry.id,
                content: entry.content)
        }
        // Watches stay with the folders on disk, but their numbers and keys change.
        if source.isFolder { syncFolder(key, recursively: true) }
        return moved
    }

    private static func relocationFailure(
        _ error: SystemError
    ) -> ChangeFailure<RelocationError> {
        if error.isMissing { return .refused(.fromLookup(.notFound)) }
        if error.code == EEXIST { return .refused(.to(.conflict(.file))) }
        return relocationFailure(WriteError.failure(error))
    }

    private static func relocationFailure(
        _ error: ChangeFailure<WriteError>
    ) -> ChangeFailure<RelocationError> {
        switch error {
        case .refused(.insufficientSpace): .refused(.insufficientQuota)
        case .refused(let refusal): .refused(.to(refusal))
        case .disk(let error): .disk(error)
        }
    }
}
