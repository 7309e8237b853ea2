internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TextEditing

/// Showing what the store has confirmed, before the long poll reports it.
extension Club {
    /// Shows a file that the store has confirmed, before the long poll reports it.
    func record(_ file: RemoteFile) {
        local?.note { try $0.recordOwnWrite(file) }
        show(file)
    }

    /// Shows a file in the state that the store has reported.
    private func show(_ file: RemoteFile) {
        reported.apply([.file(file)])
        local?.note { try $0.record([.file(file)], isOwn: true) }
        notify()
        lookAgain(atAnyOf: [file.path], unless: file.revision)
    }

    /// Shows a file that the store has confirmed, and stores its text.
    func record(_ file: RemoteFile, text: TextBuffer) {
        record(file)
        local?.note {
            try $0.keep([(file, text.data)], isOwn: true)
        }
    }

    /// Shows a file under its new name.
    ///
    /// - Parameter revision: The revision before the move.
    func recordMove(of path: RemotePath, in revision: Revision? = nil, to file: RemoteFile?) {
        reported.apply([.deleted(path)] + (file.map { [.file($0)] } ?? []))
        local?.note { copy in
            try copy.recordMove(of: path, in: revision, to: file)
            if let file { try copy.recordOwnWrite(file) }
        }
        notify()
        lookAgain(atAnyOf: [path] + (file.map { [$0.path] } ?? []), unless: file?.revision)
    }

    /// Removes a file that was deleted here.
    func recordRemoval(of file: RemoteFile) {
        reported.apply([.deleted(file.path)])
        local?.note { try $0.recordOwnDeletion(of: file) }
        notify()
        lookAgain(atAnyOf: [file.path], unless: nil)
    }

    /// Removes a path that is no longer in the store.
    ///
    /// - Parameter isOwn: Whether it was deleted here.
    func recordRemoval(of path: RemotePath, isOwn: Bool = true) {
        reported.apply([.deleted(path)])
        local?.note { try $0.record([.deleted(path)], isOwn: isOwn) }
        notify()
        lookAgain(atAnyOf: [path], unless: nil)
    }

    /// Notes revisions reported while calls are pending: they may be newer than the responses.
    func noteReported(_ entries: [RemoteEntry]) {
        guard !calls.isEmpty else { return }
        for entry in entries { calls.reported[entry.path] = .some(entry.file?.revision) }
    }

    /// Refetches when a change notification contradicts a later response.
    private func lookAgain(atAnyOf paths: [RemotePath], unless revision: Revision?) {
        for path in paths {
            guard let reported = calls.reported.removeValue(forKey: path), reported != revision
            else {
                continue
            }
            lookAgain(at: path)
        }
    }

    /// Fetches the metadata of a path now, instead of waiting for the next poll.
    func lookAgain(at path: RemotePath) { Task { await look(at: path) } }

    /// Fetches the metadata of a path and shows the file.
    ///
    /// - Returns: Nil if there is no file, or if the club is unreachable; the folder's next changes then
    ///   include it.
    @discardableResult
    func look(at path: RemotePath) async -> RemoteFile? {
        do throws(StoreError) {
            let file = try await perform { store throws(StoreError) in
                try await store.metadata(of: path)
            }
            show(file)
            return file
        } catch {
            if error.code == .notFound { recordRemoval(of: path, isOwn: false) }
            return nil
        }
    }
}
