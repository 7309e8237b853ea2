import FoundationEssentials

extension WebDAVStore {
    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        let conflict = StoreError(.conflict(serverRevision: nil), during: .createFolder, at: path)
        guard !path.isRoot else { throw conflict }
        // Some say that they have made a folder that was there.
        let there = try await look(at: path, during: .createFolder)
        if there == .folder, unsettled.has(.creation, at: path) {
            unsettled.forget(path)
            return
        }
        guard there == .nothing else { throw conflict }
        do throws(StoreError) {
            try await makeFolder(path, during: .createFolder)
        } catch {
            if error.code.mayHideSuccess { unsettled.note(.creation, at: path) }
            throw error
        }
        switch try await look(at: path, during: .createFolder) {
        case .folder: break
        case .file: throw conflict
        case .nothing: throw StoreError(.withoutEffect, during: .createFolder, at: path)
        }
    }

    /// Makes a folder, and those above it in the club. One that is there is as good; whether it is a file
    /// that is there, the caller has to see.
    func makeFolder(
        _ path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) {
        let base = address.baseComponents
        try await makeFolder(
            base + path.components, notAbove: base.count, during: operation, at: path)
    }

    /// - Parameters:
    ///   - names: From the server's root down.
    ///   - count: So many of them have no folder above that may be made.
    func makeFolder(
        _ names: [String], notAbove count: Int, during operation: StoreError.Operation,
        at path: RemotePath
    ) async throws(StoreError) {
        do throws(StoreError) {
            try await makeOneFolder(names, during: operation, at: path)
        } catch {
            guard error.isMissingFolder, names.count > count else { throw error }
            try await makeFolder(names.dropLast(), notAbove: count, during: operation, at: path)
            try await makeOneFolder(names, during: operation, at: path)
        }
    }

    private func makeOneFolder(
        _ names: [String], during operation: StoreError.Operation, at path: RemotePath
    ) async throws(StoreError) {
        let url = address.url(names, isFolder: true)
        let attempts = AttemptLog()
        do throws(StoreError) {
            _ = try await send(
                WebDAVRequest("MKCOL", url), during: operation, at: path, attempts: attempts)
        } catch {
            // Something is there, and may have been put there by somebody else just now.
            if error.webDAVStatus == 405 { return }
            // It may have been made, and the answer was lost.
            guard attempts.mayHaveArrived, error.code != .cancelled,
                await isFolder(url, during: operation)
            else { throw error }
        }
    }

    /// Makes the folders that are missing above a path.
    ///
    /// - Returns: False when none is.
    /// - Throws: `.conflict` when one of them is a file.
    func makeMissingFolders(
        above path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> Bool {
        var folder = path
        var isMissing = false
        while let parent = folder.parent {
            folder = parent
            switch try await look(at: folder, during: operation) {
            case .file:
                throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
            case .folder:
                guard isMissing, let parent = path.parent else { return false }
                try await makeAndSeeFolder(parent, during: operation)
                return true
            case .nothing:
                isMissing = true
            }
        }
        guard isMissing, let parent = path.parent else { return false }
        try await makeAndSeeFolder(parent, during: operation)
        return true
    }

    /// - Throws: `.withoutEffect` when it is not there although the server said so.
    func makeAndSeeFolder(
        _ path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) {
        try await makeFolder(path, during: operation)
        guard try await look(at: path, during: operation) != .nothing else {
            throw StoreError(.withoutEffect, during: operation, at: path)
        }
    }
}

extension StoreError {
    /// Whether a folder could not be made because there is none to make it in: 409 by the standard; a few
    /// servers answer that nothing is there.
    var isMissingFolder: Bool { webDAVStatus == 409 || webDAVStatus == 404 }
}
