import DropboxAPI
import Glibc

/// Keeping revisions that are replaced or deleted.
extension ClubFolder {
    /// A file to keep, and its path on disk below the deleted folder; empty for the deleted file
    /// itself.
    struct FileToKeep {
        let entry: Entry
        let diskNames: [String]
    }

    func filesToKeep(of entry: Entry) -> [FileToKeep] {
        guard entry.isFolder else { return [FileToKeep(entry: entry, diskNames: [])] }
        let depth = index.diskNames(of: entry.key).count
        return index.descendants(of: entry.key).filter { !$0.isFolder }
            .sorted { $0.sequence < $1.sequence }
            .map {
                FileToKeep(
                    entry: $0, diskNames: Array(index.diskNames(of: $0.key).dropFirst(depth)))
            }
    }

    /// Logs what will be kept, before anything is moved.
    ///
    /// - Throws: If that is not possible; nothing may be moved then.
    func announce(_ entries: [Entry], ending: KeptRevision.Ending) throws(SystemError) {
        try revisions?.announce(
            entries.compactMap { entry in
                guard let facts = entry.facts else { return nil }
                return KeptRevision(
                    id: entry.id, key: entry.key, name: entry.name,
                    path: index.displayPath(of: entry.key), facts: facts, blob: facts.signature,
                    ending: ending, kept: .now)
            })
    }

    /// Keeps a file that is in the staging folder and was announced.
    func putAside(_ revision: String, staged name: String) {
        let taken = revisions?.take(revision, from: name, in: access.staging.number) ?? .left
        if taken == .left { access.discard(staged: name) }
    }

    /// Keeps the files of a deleted folder; the rest of it is removed later.
    func putAside(_ files: [FileToKeep], trash: String) {
        guard let revisions else { return }
        for file in files {
            guard let revision = file.entry.facts?.revision else { continue }
            let names = [trash] + file.diskNames
            do throws(SystemError) {
                var folder = try Descriptor.opened(
                    "open",
                    openat(access.staging.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
                for name in names.dropLast() {
                    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
                    folder = try .opened("open", openat(folder.number, name, flags))
                }
                _ = revisions.take(revision, from: names[names.count - 1], in: folder.number)
            } catch {
                // Another program has just removed it.
                revisions.withdraw([revision])
            }
        }
    }
}
