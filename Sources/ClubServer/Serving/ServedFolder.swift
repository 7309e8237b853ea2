/// The open folder of a club, and what keeps it up to date.
struct ServedFolder: Sendable {
    let club: ClubFolder
    let sessions: UploadSessions
    /// Nil when the kernel has none left.
    let watcher: FolderWatcher?
    let loop: EventLoop
}
