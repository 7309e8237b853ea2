import FoundationEssentials

extension WebDAVStore {
    @concurrent public func createFolder(_ path: RemotePath) async throws(StoreError) {
        let conflict = StoreError(.conflict(serverRevision: nil), during: .createFolder, at: path)
        guard !path.isRoot else { throw conflict }
        // Some servers report that they created a folder that already existed.
        let there = try await look(at: path, during: .createFolder)
        if there == .folder, unconfirmed.has(.creation, at: path) {
            unconfirmed.forget(path)
            return
        }
        guard there == .nothing else { throw conflict }
        do throws(StoreError) {
            try await makeFolder(path, during: .createFolder)
        } catch {
            if error.code.mayHideSuccess { unconfirmed.note(.creation, at: path) }
            throw error
        }
        switch try await lookToConfirm(at: path, during: .createFolder) {
        case .folder: break
        case .file: throw conflict
        case .nothing: throw StoreError(.withoutEffect, during: .createFolder, at: path)
        }
    }

    /// Creates a folder, and those above it in the club, but not the club's own. An existing folder counts as
    /// success; the caller must check whether it is a file.
    ///
    /// - Parameter path: What the folder is created for, for errors; nil for the folder itself.
    /// - Throws: `.notFound` of the root if the club's own folder is missing.
    func makeFolder(
        _ folder: RemotePath, for path: RemotePath? = nil, during operation: StoreError.Operation
    ) async throws(StoreError) {
        let names = address.baseComponents + folder.components
        let path = path ?? folder
        do throws(StoreError) {
            try await makeOneFolder(names, during: operation, at: path)
        } catch {
            guard error.isMissingFolder, let parent = folder.parent else { throw error }
            if parent.isRoot {
                try await requireRoot(during: operation)
            } else {
                try await makeFolder(parent, for: path, during: operation)
            }
            try await makeOneFolder(names, during: operation, at: path)
        }
    }

    /// Makes sure that the club's own folder is there. Only a sign-in creates it: see ``makeRoot()``. In place of a
    /// lost one, a write would make a new, empty club.
    ///
    /// - Throws: `.notFound` of the root if it is missing.
    func requireRoot(during operation: StoreError.Operation) async throws(StoreError) {
        guard await lookOnce(at: .root, during: operation) == .nothing else { return }
        throw .lostRoot(during: operation)
    }

    /// For the club's own folder at a sign-in.
    ///
    /// - Parameters:
    ///   - names: From the server's root down.
    ///   - count: For this many of them, no parent folder may be created.
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
            // The path is taken, possibly by something that someone else just created.
            if error.webDAVStatus == 405 { return }
            // It may have been created although the response was lost.
            guard attempts.mayHaveArrived, error.code != .cancelled,
                await isFolder(url, during: operation)
            else { throw error }
        }
    }

    enum FolderCreation {
        case made
        case noneMissing
    }

    /// Creates the missing folders above a path, in the club's own folder.
    ///
    /// - Throws: `.conflict` when one of them is a file; `.notFound` of the root if the club's own folder is missing.
    func makeMissingFolders(
        above path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> FolderCreation {
        var folder = path
        var isMissing = false
        while let parent = folder.parent {
            folder = parent
            switch try await look(at: folder, during: operation) {
            case .file:
                throw StoreError(.conflict(serverRevision: nil), during: operation, at: path)
            case .folder:
                guard isMissing, let parent = path.parent else { return .noneMissing }
                try await makeAndSeeFolder(parent, during: operation)
                return .made
            case .nothing where folder.isRoot:
                throw .lostRoot(during: operation)
            case .nothing:
                isMissing = true
            }
        }
        return .noneMissing
    }

    /// - Throws: `.withoutEffect` when it does not exist although the server reported
    ///   success.
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
    /// Whether a folder could not be created because its parent is missing: 409 according to the
    /// standard; a few servers return 404.
    var isMissingFolder: Bool { webDAVStatus == 409 || webDAVStatus == 404 }

    /// The club's own folder is missing.
    static func lostRoot(during operation: Operation) -> StoreError {
        StoreError(.notFound, during: operation, at: .root)
    }

    /// The error with the path that the caller knows, in place of that of a temporary file; that the club's own folder
    /// is missing stays about that folder.
    func about(_ path: RemotePath) -> StoreError {
        guard code != .notFound || self.path?.isRoot != true else { return self }
        var error = self
        error.path = path
        return error
    }
}
