public import ClubStore

extension WaitingChange {
    /// The resulting entries of the club's listing.
    public var entries: [RemoteEntry] {
        switch action {
        case .write: file.map { [.file($0)] } ?? []
        case .move: [.deleted(path)] + (file.map { [.file($0)] } ?? [])
        case .delete: [.deleted(path)]
        }
    }
}
