import ClubStore

extension RemoteStore {
    /// Whether a file is at a path now.
    ///
    /// - Throws: What ``RemoteStore/metadata(of:)`` throws, but for `.notFound`.
    func hasFile(at path: RemotePath) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try await metadata(of: path)
            return true
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }
}
