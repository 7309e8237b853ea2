internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// Deleting and restoring.
extension FileList {
    /// Asks, then deletes the marked or selected entries.
    func deleteTargets() {
        let targets = targets
        guard let first = targets.first else { return }
        let what =
            targets.count == 1
            ? localized("“\(first.name)” will be deleted")
            : localized("\(targets.count) \(kind.plural) will be deleted")
        let isMoved =
            kind == .photos && club.store?.isKnownToKeepDeletedFiles == false
        let noun = first.isFolder ? localized("folder") : kind.singular
        owner?.present(
            AlertController.confirmation(
                title: targets.count == 1
                    ? localized("Delete \(noun)?")
                    : localized("Delete \(targets.count) \(kind.plural)?"),
                message: TextLine(
                    what + localized(" for every member of the club.") + hiddenTargetsWords(targets)
                        + (isMoved
                            ? (targets.count == 1
                                ? localized(" z can bring it back for 30 days.")
                                : localized(" z can bring them back for 30 days."))
                            : "")
                        + (delegate?.fileList(self, warningBeforeDeleting: targets) ?? "")),
                confirm: localized("Delete"), key: "d"
            ) { [weak self] in self?.delete(targets) })
    }

    /// A filter may hide marked entries.
    private func hiddenTargetsWords(_ targets: [FileEntry]) -> String {
        let shown = Set((0..<rowCount).compactMap { entry(at: $0)?.path })
        let count = targets.count { !shown.contains($0.path) }
        return count == 0 ? "" : localized(" The filter hides \(count) of them.")
    }

    private func delete(
        _ targets: [FileEntry], keepingTexts lifetime: Club.TextLifetime = .lasting
    ) {
        let group = UUID()
        var withoutCopy: [FileEntry] = []
        forEach(targets, doing: localized("Deleting"), failureTitle: localized("Not deleted")) {
            [weak self] (entry: FileEntry) throws(StoreError) in
            do throws(StoreError) {
                try await self?.delete(entry, group, lifetime)
            } catch {
                guard error.isForLackOfCopy else { throw error }
                withoutCopy.append(entry)
            }
        } then: { [weak self] done in
            let left = Set(withoutCopy.map(\.path))
            let deleted = done.filter { !left.contains($0.path) }
            if !deleted.isEmpty { self?.checkDeleted(deleted, group, lifetime) }
            if !withoutCopy.isEmpty { self?.askToDeleteWithoutCopy(withoutCopy) }
        }
    }

    /// The texts can be kept in memory alone, and are lost when the app ends.
    private func askToDeleteWithoutCopy(_ targets: [FileEntry]) {
        let message =
            targets.count == 1
            ? localized(
                "No copy of “\(targets[0].name)” can be kept on this computer: its disk is full, or may not be written to. z can bring the note back until you quit Byte Club, and nothing can after that."
            )
            : localized(
                "No copies of \(kind.count(targets.count)) can be kept on this computer: its disk is full, or may not be written to. z can bring them back until you quit Byte Club, and nothing can after that."
            )
        owner?.present(
            AlertController.confirmation(
                title: localized("Delete without a copy?"), message: TextLine(message),
                confirm: localized("Delete"), key: "d"
            ) { [weak self] in self?.delete(targets, keepingTexts: .untilQuit) })
    }

    /// A store has limits on what it keeps: of several photos, the first may have made room for the last.
    private func checkDeleted(
        _ done: [FileEntry], _ group: UUID, _ lifetime: Club.TextLifetime
    ) {
        let records = memory.lastDeleted(kind).filter { $0.group == group && $0.trash == nil }
        guard kind == .photos, done.count > 1 else { return didDelete(done, group, lifetime) }
        _ = owner?.startPending { [weak self] in
            // The oldest go first: if one is kept, so are those after it.
            for record in records {
                guard let self, let file = record.file,
                    await club.isKeptInStore(file) == false
                else { break }
                memory.forget(record)
            }
            self?.didDelete(done, group, lifetime)
        }
    }

    private func didDelete(
        _ done: [FileEntry], _ group: UUID, _ lifetime: Club.TextLifetime
    ) {
        unmark(done)
        let what =
            done.count == 1
            ? localized("“\(done[0].name)” was") : localized("\(kind.count(done.count)) were")
        let kept = memory.lastDeleted(kind).filter { $0.group == group }
        let keptCount = kept.count
        let isInMemory =
            lifetime == .untilQuit && kept.contains { memory.deletedBytes[$0] != nil }
        let hint =
            switch (keptCount, done.count) {
            case (0, _): ""
            case _ where deletions.uncertainGroup == group:
                localized(" z tries to bring back what the club has kept.")
            case (1, 1) where isInMemory: localized(" z brings it back, until you quit.")
            case (1, 1): localized(" z brings it back.")
            case (let kept, let all) where kept == all && isInMemory:
                localized(" z brings them back, until you quit.")
            case (let kept, let all) where kept == all: localized(" z brings them back.")
            default: localized(" z brings \(keptCount) of them back.")
            }
        owner?.application?.showMessage(localized("\(what) deleted.\(hint)"))
        club.askForAccountAgain()
    }

    private func delete(
        _ entry: FileEntry, _ group: UUID, _ lifetime: Club.TextLifetime
    ) async throws(StoreError) {
        do throws(StoreError) {
            if case .file(let file) = entry {
                try await delete(file, group, lifetime)
            } else {
                try await club.perform { store throws(StoreError) in
                    try await FolderRemoval.remove(entry.path, in: store)
                }
                club.recordRemoval(of: entry.path)
                memory.remember(DeletedFile(folder: entry.path, at: now(), group: group))
            }
        } catch {
            // It is already gone, as intended; the list shows that.
            guard error.code == .notFound else { throw error }
            club.recordRemoval(of: entry.path, isOwn: false)
        }
    }

    private func delete(
        _ file: RemoteFile, _ group: UUID, _ lifetime: Club.TextLifetime
    ) async throws(StoreError) {
        let deleted =
            kind == .notes
            ? try await club.deleteNote(file, keepingText: lifetime)
            : try await club.deletePhoto(file)
        guard deleted.isKept != false else { return }
        if deleted.isKept == nil { deletions.uncertainGroup = group }
        let record = DeletedFile(
            deleted.file, kind: kind, at: now(), group: group, trash: deleted.trash)
        memory.remember(record, deleted.data)
    }
}

// MARK: - Bringing back

extension FileList {
    /// Restores the last deletion, including those of earlier runs if the store keeps them, of other windows
    /// and of commands.
    func undelete() {
        guard batch == nil else { return undelete(memory.lastDeleted(kind)) }
        _ = owner?.startPending { [self] in
            await memory.readDeleted()
            let records = memory.lastDeleted(kind)
            let item = await deletedElsewhere()
            if let item, item.deleted > (records.map(\.deletedAt).max() ?? .distantPast) {
                return undelete(item)
            }
            guard records.isEmpty else { return undelete(records) }
            owner?.application?.showMessage(
                localized(
                    "z finds no \(kind.singular) that you have deleted here. Z shows the trash."))
        }
    }

    /// The last deletion on this computer by a command. Files recorded by a window are left to it: it knows
    /// the revision that was shown, which may never have reached the club.
    private func deletedElsewhere() async -> TrashItem? {
        let items = await club.trash()
        let known = memory.choices.deleted.filter { $0.kind == kind }
        return items.first { item in
            item.kind == kind && item.isOwn == true && !deletions.lost.contains(item)
                && !known.contains { $0.isSame(as: item) || $0.path == item.file.path.string }
        }
    }

    private func undelete(_ item: TrashItem) {
        var name = item.file.name
        forEach(
            [item], doing: localized("Bringing back"), failureTitle: localized("Not brought back")
        ) { [weak self] (item: TrashItem) throws(StoreError) in
            guard let self else { return }
            do throws(StoreError) {
                let file = try await club.bringBack(item)
                memory.see([file])
                name = file.name
                pathToSelect = file.path
                reload()
            } catch {
                // It is not stored anywhere: do not offer it again.
                if error.code == .notFound { deletions.lost.insert(item) }
                throw error
            }
        } then: { [weak self] _ in
            guard let self else { return }
            owner?.application?.showMessage(
                localized("“\(name)” is back."), .success)
            club.askForAccountAgain()
        }
    }

    private func undelete(_ records: [DeletedFile]) {
        let files = Array(records.reversed())
        var names: [String] = []
        forEach(
            files, doing: localized("Bringing back"), failureTitle: localized("Not brought back")
        ) {
            [weak self] (record: DeletedFile) throws(StoreError) in
            guard let self else { return }
            do throws(StoreError) {
                names.append(try await bringBack(record).name)
                memory.forget(record)
            } catch {
                // It is kept nowhere any more: to offer it again would be no help.
                if error.code == .notFound { memory.forget(record) }
                throw error
            }
        } then: { [weak self] done in
            guard let self else { return }
            owner?.application?.showMessage(
                done.count == 1
                    ? localized("“\(names.first ?? "")” is back.")
                    : localized("\(kind.count(done.count)) are back."), .success)
            club.askForAccountAgain()
        }
    }

    /// - Returns: The restored file.
    private func bringBack(_ record: DeletedFile) async throws(StoreError) -> RemotePath {
        guard record.isFolder != true else { return try await makeFolder(of: record) }
        let file = try await restore(record)
        memory.see([file])
        pathToSelect = file.path
        reload()
        return file.path
    }

    /// Recreates an empty folder.
    private func makeFolder(of record: DeletedFile) async throws(StoreError) -> RemotePath {
        let path = try RemotePath(validating: record.path)
        do throws(StoreError) {
            try await club.perform { store throws(StoreError) in try await store.createFolder(path)
            }
        } catch {
            // It exists again already.
            guard error.isConflict else { throw error }
        }
        pathToSelect = path
        club.refresh()
        return path
    }

    private func restore(_ record: DeletedFile) async throws(StoreError) -> RemoteFile {
        let path = try RemotePath(validating: record.path)
        let revision = Revision(rawValue: record.revision)
        if kind == .notes {
            return try await club.restoreNote(
                at: path, revision, memory.deletedBytes[record], byteCount: record.byteCount)
        }
        if let trash = record.trash {
            return try await club.restorePhoto(at: path, from: RemotePath(validating: trash))
        }
        let file = try await club.perform { store throws(StoreError) in
            try await PhotoTrash.restore(
                path, revision, byteCount: record.byteCount, in: store)
        }
        club.record(file)
        return file
    }
}
