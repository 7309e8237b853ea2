import DropboxAPI
import Glibc

/// Updating the index from the disk.
extension ClubFolder {
    enum FolderState {
        case there
        /// The club's folder itself was removed or replaced.
        case gone
    }

    /// Applies what other programs have changed so far: a listing right after a copy into the folder has the file.
    ///
    /// - Throws: ``SystemError``, `ESTALE` when the folder is gone.
    func applyLatestEvents() async throws(SystemError) {
        await watcher?.settle()
        if applyEvents() == .gone { throw endWithoutFolder() }
    }

    /// Makes sure that the folder is still the one at the club's path, before something is written: in one that was put
    /// aside, it would not be found again.
    ///
    /// - Parameter change: How the change may be refused.
    /// - Throws: `.disk` with `ESTALE` when the folder is gone.
    func requireFolder<Refusal>(for change: Refusal.Type) throws(ChangeFailure<Refusal>) {
        if access.isGone { throw .disk(endWithoutFolder()) }
    }

    /// Ends the server, whose next one opens the folder that is there now.
    ///
    /// - Returns: The error for the client, which tries again.
    private func endWithoutFolder() -> SystemError {
        departure.send()
        return SystemError("open", code: ESTALE)
    }

    /// Applies changes by other programs.
    func applyEvents() -> FolderState {
        let events = watcher?.takeEvents() ?? []
        defer {
            orphans = [:]
            publish()
        }
        // While another process has the folder open, the kernel reports its removal only to a watch on
        // its parent, which has.
        if access.isGone { return .gone }
        if events.contains(where: { $0.has(IN_Q_OVERFLOW) }) {
            log("more happened in the folder than the kernel could tell; looking at all of it")
            incomplete = []
            watchParent()
            syncFolder("", recursively: true)
            return access.isGone ? .gone : .there
        }
        var touched: [String: Set<DiskName>] = [:]
        var order: [String] = []
        for event in events {
            guard let folder = watchKeys[event.watch] else { continue }
            if event.has(IN_IGNORED) {
                watchKeys[event.watch] = nil
                watches[folder] = nil
                continue
            }
            if event.has(IN_MOVE_SELF), folder.isEmpty { watchParent() }
            guard let name = event.name, let text = name.text, NameRules.isShown(text),
                track(event, name, in: folder) == .complete
            else { continue }
            if touched[folder] == nil { order.append(folder) }
            touched[folder, default: []].insert(name)
        }
        // Removals first, so that new names can be matched by inode.
        for folder in order { syncNames(touched[folder] ?? [], in: folder, missing: true) }
        for folder in order { syncNames(touched[folder] ?? [], in: folder, missing: false) }
        // It may have been removed before that watch existed.
        return access.isGone ? .gone : .there
    }

    private enum Completeness {
        /// It can be read now.
        case complete
        case incomplete
    }

    /// Tracks incomplete files; returns what the subject of an event is now.
    private func track(
        _ event: FolderWatcher.Event, _ name: DiskName, in folder: String
    ) -> Completeness {
        let incompleteName = IncompleteName(folder: folder, name: name)
        if event.has(IN_CREATE), !event.isFolder {
            // A new file is still being written; IN_CLOSE_WRITE follows. A new hard link to a
            // finished file is complete.
            if linkCount(name, in: folder) < 2 { incomplete.insert(incompleteName) }
        } else if !event.has(IN_ATTRIB) {
            incomplete.remove(incompleteName)
        }
        return incomplete.contains(incompleteName) ? .incomplete : .complete
    }

    /// Whether an incomplete file has been closed, even if that event has not been applied yet.
    private func isWritten(_ file: IncompleteName) -> Bool {
        guard let watcher, let watch = watches[file.folder] else { return false }
        let last = watcher.pendingEvents(of: watch).last {
            $0.name == file.name && ($0.has(IN_CLOSE_WRITE) || $0.has(IN_CREATE))
        }
        return last?.has(IN_CLOSE_WRITE) ?? false
    }

    private func linkCount(_ name: DiskName, in folder: String) -> Int {
        guard let opened = try? access.folder(index.diskNames(of: folder)), let text = name.text,
            let status = try? FileStatus.of(text, in: opened.number)
        else { return 0 }
        return status.linkCount
    }

    /// Checks some names in a folder: either the missing ones, or the existing ones.
    private func syncNames(_ names: Set<DiskName>, in folder: String, missing: Bool) {
        guard index[folder]?.isFolder == true,
            let opened = try? access.folder(index.diskNames(of: folder))
        else { return }
        // Two of them may have one key, and then neither is in the index yet.
        let keys = Set(names.compactMap(\.text).map(PathNames.key))
        if names.count > 1000 || keys.count < names.count
            || names.contains(where: { isContested($0, in: folder) })
        {
            if !missing { syncFolder(folder, recursively: false) }
            return
        }
        for name in names.compactMap(\.text).sorted(by: ByteOrder.isBefore) {
            let key = folder + "/" + PathNames.key(name)
            let status = try? FileStatus.of(name, in: opened.number)
            if missing {
                let isShown = status.map { $0.kind != .special } ?? false
                if !isShown, index[key] != nil { orphan(key) }
            } else if let status {
                observe(
                    VisibleNames.Assignment(diskName: name, name: PathNames.normalized(name)),
                    status, in: folder)
            }
        }
    }

    private func isContested(_ name: DiskName, in folder: String) -> Bool {
        guard let text = name.text else { return false }
        let key = folder + "/" + PathNames.key(text)
        if contested.contains(key) { return true }
        return index[key].map { DiskName($0.diskName) != name } ?? false
    }

    /// Checks one path, regardless of pending events.
    ///
    /// - Parameter toWrite: Whether the caller will write there; then a file counts even while
    ///   another program is still writing it.
    func refresh(folder: String, name: String, toWrite: Bool = false) {
        guard NameRules.isShown(name), index[folder]?.isFolder == true,
            let opened = try? access.folder(index.diskNames(of: folder))
        else { return }
        let key = folder + "/" + PathNames.key(name)
        if contested.contains(key) {
            syncFolder(folder, recursively: false)
            return
        }
        if let entry = index[key] {
            if let status = try? FileStatus.of(entry.diskName, in: opened.number),
                status.kind != .special
            {
                observe(
                    VisibleNames.Assignment(
                        diskName: entry.diskName, name: entry.name, key: PathNames.key(name)),
                    status, in: folder)
                return
            }
            orphan(key)
        }
        // Two spellings for the disk, one text for the language.
        for diskName in [name, PathNames.normalized(name)] {
            guard let status = try? FileStatus.of(diskName, in: opened.number),
                status.kind != .special
            else { continue }
            let incompleteName = IncompleteName(folder: folder, name: DiskName(diskName))
            if incomplete.contains(incompleteName) {
                guard toWrite || isWritten(incompleteName) else { continue }
                incomplete.remove(incompleteName)
            }
            observe(
                VisibleNames.Assignment(diskName: diskName, name: PathNames.normalized(name)),
                status, in: folder)
            break
        }
    }

    /// Compares a folder with the index.
    func syncFolder(_ key: String, recursively: Bool) {
        do throws(SystemError) {
            let folder = try access.folder(index.diskNames(of: key))
            // Before reading: changes in between are then reported, at worst twice.
            watch(key, folder)
            compare(
                key, folder, try FolderAccess.names(in: folder.number), recursively: recursively)
        } catch {
            if !key.isEmpty, error.isMissing {
                orphan(key)
            } else {
                log("\(index.displayPath(of: key))/ cannot be read: \(error)")
            }
        }
    }

    private func compare(
        _ key: String, _ folder: borrowing Descriptor, _ names: [DiskName], recursively: Bool
    ) {
        var seen: [DiskName: FileStatus] = [:]
        // They are added when they are complete. Until then nothing else is shown under their names.
        var unfinished: [String] = []
        for name in names {
            guard let text = name.text, NameRules.isShown(text) else { continue }
            if incomplete.contains(IncompleteName(folder: key, name: name)) {
                unfinished.append(text)
                continue
            }
            guard let status = try? FileStatus.of(text, in: folder.number), status.kind != .special
            else { continue }
            seen[name] = status
        }
        let shown = index.childKeys(of: key).compactMap { index[$0] }
            .map { (DiskName($0.diskName), $0.name) }
        let assignments = VisibleNames.assign(
            seen.keys.compactMap(\.text) + unfinished,
            shown: Dictionary(shown, uniquingKeysWith: { $1 }))
        noteContested(assignments, in: key)
        let present = Set(assignments.map { key + "/" + $0.key })
        for child in index.childKeys(of: key).subtracting(present) { orphan(child) }
        for assignment in assignments {
            guard let status = seen[DiskName(assignment.diskName)] else { continue }
            observe(assignment, status, in: key, recursively: recursively)
        }
    }

    private func noteContested(_ assignments: [VisibleNames.Assignment], in folder: String) {
        contested = contested.filter { Entry.parentKey(of: $0) != folder }
        for assignment in assignments {
            let plain = PathNames.key(assignment.diskName)
            if plain != assignment.key {
                contested.insert(folder + "/" + plain)
                contested.insert(folder + "/" + assignment.key)
            }
        }
    }

    /// Removes an entry that is no longer on disk, and remembers it briefly.
    private func orphan(_ key: String) {
        for entry in remove(key) { orphans[entry.inode] = entry }
    }

    /// Adds what is on disk under a name to the index.
    private func observe(
        _ assignment: VisibleNames.Assignment, _ status: FileStatus, in folder: String,
        recursively: Bool = false
    ) {
        let key = folder + "/" + assignment.key
        let known = index[key]
        switch status.kind {
        case .special:
            return
        case .folder:
            observeFolder(key, assignment, status, known, recursively: recursively)
        case .file:
            observeFile(key, assignment, status, known)
        }
    }

    private func observeFolder(
        _ key: String, _ assignment: VisibleNames.Assignment, _ status: FileStatus,
        _ known: Entry?, recursively: Bool
    ) {
        if let known, known.isFolder, known.inode == status.signature.inode,
            known.isNamed(assignment)
        {
            if recursively || watches[key] == nil { syncFolder(key, recursively: recursively) }
            return
        }
        if let known, known.isFolder, known.inode != status.signature.inode { unwatch(key) }
        if let known, !known.isFolder { remove(key) }
        let id = id(
            of: assignment, known.flatMap { $0.isFolder ? $0 : nil },
            orphans[status.signature.inode].flatMap { $0.isFolder ? $0 : nil })
        _ = put(
            key: key, name: assignment.name, diskName: assignment.diskName, id: id,
            content: .folder(inode: status.signature.inode))
        syncFolder(key, recursively: true)
    }

    private func observeFile(
        _ key: String, _ assignment: VisibleNames.Assignment, _ status: FileStatus, _ known: Entry?
    ) {
        if let known, let facts = known.facts, known.isNamed(assignment) {
            if facts.signature == status.signature { return }
            if hasSameContent(assignment.diskName, known: facts, status, under: key) {
                var facts = facts
                facts.signature = status.signature
                annotate(key, facts)
                return
            }
        }
        if let known, known.isFolder { remove(key) }
        let orphan = orphans[status.signature.inode].flatMap { $0.isFolder ? nil : $0 }
        let kept = [known?.facts, orphan?.facts].compactMap { $0 }
            .first { $0.signature == status.signature }
        let id = id(of: assignment, known.flatMap { $0.isFolder ? nil : $0 }, orphan)
        _ = put(
            key: key, name: assignment.name, diskName: assignment.diskName, id: id,
            content: .file(kept ?? FileFacts(signature: status.signature)))
    }

    /// An id belongs to a file, not to a name: one that was shown in another way brings its own.
    ///
    /// - Parameters:
    ///   - known: What was shown under the name.
    ///   - orphan: What was shown of the same file under another one.
    private func id(
        of assignment: VisibleNames.Assignment, _ known: Entry?, _ orphan: Entry?
    ) -> String {
        if let known, let orphan, DiskName(known.diskName) != DiskName(assignment.diskName) {
            return orphan.id
        }
        return known?.id ?? orphan?.id ?? newID()
    }

    /// Whether a file was only touched: its times changed but its bytes did not.
    private func hasSameContent(
        _ diskName: String, known: FileFacts, _ status: FileStatus, under key: String
    ) -> Bool {
        let limit: Int64 = 16 << 20
        guard let hash = known.contentHash, known.signature.size == status.signature.size,
            status.signature.size <= limit, let parent = Entry.parentKey(of: key),
            let file = try? access.file(index.diskNames(of: parent) + [diskName])
        else { return false }
        return (try? FileReader.contentHash(of: file, expecting: status.signature)) == hash
    }

    func newID() -> String { "id:" + RandomText.base64URL(byteCount: 16) }
}

extension Entry {
    /// Whether its file has this very name on the disk, byte for byte, and shows this one.
    fileprivate func isNamed(_ assignment: VisibleNames.Assignment) -> Bool {
        DiskName(diskName) == DiskName(assignment.diskName) && name == assignment.name
    }
}
