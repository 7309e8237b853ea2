import FoundationEssentials

extension WebDAVStore {
    /// Makes the club's own folder where there is none, and those above it that are missing. One that is
    /// there is as good.
    ///
    /// - Throws: `.wrongKind` when the address is a file's, or `.badRequest` where the server will not look
    ///   for a folder under a file's name; `.notFound` when it has no place for the folder.
    @concurrent public func makeRoot() async throws(StoreError) {
        switch try await look(at: .root, during: .createFolder) {
        case .folder: return
        case .file: throw StoreError(.wrongKind, during: .createFolder, at: .root)
        case .nothing: break
        }
        try await makeFolder(address.baseComponents)
        guard try await look(at: .root, during: .createFolder) == .folder else {
            throw StoreError(.notFound, during: .createFolder, at: .root)
        }
    }

    /// - Parameter names: From the server's root down.
    private func makeFolder(_ names: [String]) async throws(StoreError) {
        do throws(StoreError) {
            try await makeOneFolder(names)
        } catch {
            // 409 by the standard; a few answer that nothing is there.
            guard error.webDAVStatus == 409 || error.webDAVStatus == 404 else { throw error }
            let missing = StoreError(
                .notFound, during: .createFolder, at: .root, underlying: error)
            guard names.count > 1 else { throw missing }
            try await makeFolder(names.dropLast())
            do throws(StoreError) {
                try await makeOneFolder(names)
            } catch {
                throw error.webDAVStatus == 409 || error.webDAVStatus == 404 ? missing : error
            }
        }
    }

    private func makeOneFolder(_ names: [String]) async throws(StoreError) {
        do throws(StoreError) {
            _ = try await send(
                WebDAVRequest("MKCOL", address.url(names, isFolder: true)), during: .createFolder,
                at: .root)
        } catch {
            // Something is there, and may have been put there by somebody else just now.
            guard error.webDAVStatus == 405 else { throw error }
        }
    }
}
