import FoundationEssentials
import Synchronization

extension WebDAVStore {
    /// How old a file of our own must be, in seconds, for nobody to be at work on it: a day. Its
    /// server's clock has set its time and is asked for its age, so that no other matters.
    private static let leftoverAge: Double = 86_400

    /// Whether something with a name of our own is what a killed program has left behind.
    func isLeftover(_ properties: Multistatus.Properties, at now: Date?) -> Bool {
        guard let now, let modified = properties.modified, !properties.isCollection else {
            return false
        }
        return now.timeIntervalSince(modified) > Self.leftoverAge
    }

    /// Removes such files, without making anybody wait for it; each is tried once.
    func removeLeftovers(_ paths: [RemotePath]) {
        let new = leftovers.withLock { seen in paths.filter { seen.insert($0).inserted } }
        guard !new.isEmpty else { return }
        Task { @concurrent [self] in
            for path in new { await remove(path) }
        }
    }
}
