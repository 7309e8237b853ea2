import FoundationEssentials

extension WebDAVStore {
    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        let conflict = StoreError(.conflict(serverRevision: nil), during: .createFolder, at: path)
        guard !path.isRoot else { throw conflict }
        // Some say that they have made a folder that was there.
        guard try await look(at: path, during: .createFolder) == .nothing else { throw conflict }
        try await makeFolder(path, during: .createFolder)
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
        let attempts = AttemptLog()
        do throws(StoreError) {
            _ = try await send(
                WebDAVRequest("MKCOL", address.url(names, isFolder: true)), during: operation,
                at: path, attempts: attempts)
        } catch {
            // Something is there, and may have been put there by somebody else just now. Or it was
            // made, and the answer says that the server failed: whoever needs it looks.
            guard error.webDAVStatus == 405 || (attempts.mayHaveArrived && error.isServerFailure)
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
                try await makeFolder(parent, during: operation)
                return true
            case .nothing:
                isMissing = true
            }
        }
        guard isMissing, let parent = path.parent else { return false }
        try await makeFolder(parent, during: operation)
        return true
    }
}

extension StoreError {
    /// Whether a folder could not be made because there is none to make it in: 409 by the standard; a few
    /// servers answer that nothing is there.
    var isMissingFolder: Bool { webDAVStatus == 409 || webDAVStatus == 404 }

    /// Whether the server said that it failed, which it may have done after its work.
    var isServerFailure: Bool { webDAVStatus.map { $0 >= 500 } ?? false }
}
