public import ClubStore

extension WaitingChange {
    /// What it will make of the club's listing.
    public var entries: [RemoteEntry] {
        switch action {
        case .write: file.map { [.file($0)] } ?? []
        case .move: [.deleted(path)] + (file.map { [.file($0)] } ?? [])
        case .delete: [.deleted(path)]
        }
    }
}
