import FoundationEssentials
import CurlNetworkingPlatform

/// Which downloaded files were reported to a delegate: an empty marker file per task, beside the journal.
///
/// The program creates the marker just before `didFinishDownloadingTo`, and the helper removes it with the
/// task's record. If the program is killed after its delegate has moved the file and before the helper knows,
/// the marker distinguishes this from a file that was removed otherwise.
///
/// Markers are not synced: they are created on the delegate's queue, possibly the main one. On file systems
/// that keep the order of names (ext4, XFS, Btrfs) a later move by the delegate is not on disk before them.
struct ReportedTasks: Sendable {
    private let path: String

    init(_ paths: BackgroundPaths) {
        path = paths.reportedTasks
    }

    private static func name(_ session: String, _ number: Int, _ key: UInt64) -> String {
        BackgroundPaths.prefix(of: session) + "\(number)-" + String(key, radix: 36)
    }

    /// Failures are ignored: the marker only covers the moment of the call.
    func add(_ number: Int, of session: String, key: UInt64) {
        guard let folder = try? PrivateFolder(path: path) else { return }
        let file = open(
            folder.path(of: Self.name(session, number, key)),
            O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0o600)
        if file >= 0 { close(file) }
    }

    func contains(_ number: Int, of session: String, key: UInt64) -> Bool {
        access(path + "/" + Self.name(session, number, key), F_OK) == 0
    }

    func remove(_ record: BackgroundTaskRecord) {
        unlink(path + "/" + Self.name(record.session, record.number, record.key))
    }

    /// Removes the markers of tasks that are no longer in the journal.
    func removeAll(except records: [BackgroundTaskRecord]) {
        guard access(path, F_OK) == 0, let folder = try? PrivateFolder(path: path) else { return }
        let known = Set(records.map { Self.name($0.session, $0.number, $0.key) })
        for name in (try? folder.names()) ?? [] where !known.contains(name) {
            unlink(folder.path(of: name))
        }
    }
}
