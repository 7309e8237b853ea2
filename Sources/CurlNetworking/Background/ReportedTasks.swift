import FoundationEssentials
import Glibc

/// Which files of finished downloads a delegate was told of: an empty file per task, beside the journal.
///
/// The program writes it right before the call, and the helper removes it with the task's record. A
/// program that is killed after its delegate has moved the file, and before the helper knows, leaves a
/// record whose file is gone: the announcement tells that from a file that somebody else has removed.
///
/// They reach the kernel, not the disk itself: the call comes from the delegate's queue, perhaps the main
/// one. A move that the delegate makes afterwards is not on the disk before them on file systems that
/// keep the order of names, as ext4, XFS and Btrfs do.
struct ReportedTasks: Sendable {
    private let path: String

    init(_ paths: BackgroundPaths) {
        path = paths.reportedTasks
    }

    private static func name(_ session: String, _ number: Int, _ key: UInt64) -> String {
        BackgroundPaths.prefix(of: session) + "\(number)-" + String(key, radix: 36)
    }

    /// What cannot be written is left out: it protects a moment.
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

    /// Removes those of tasks that are no longer in the journal.
    func removeAll(except records: [BackgroundTaskRecord]) {
        guard access(path, F_OK) == 0, let folder = try? PrivateFolder(path: path) else { return }
        let known = Set(records.map { Self.name($0.session, $0.number, $0.key) })
        for name in (try? folder.names()) ?? [] where !known.contains(name) {
            unlink(folder.path(of: name))
        }
    }
}
