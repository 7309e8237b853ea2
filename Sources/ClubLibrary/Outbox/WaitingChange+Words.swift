internal import ClubStore
internal import ByteClubMessages

extension WaitingChange {
    /// A short description: `Write “a.txt”`. Names are unescaped, not safe for a screen.
    public var words: String {
        let place = path.place
        return switch action {
        case .write(.update): localized("Change “\(place)”")
        case .write(.overwrite): localized("Replace “\(place)”")
        case .write: localized("Add “\(place)”")
        case .move(let destination) where destination.parent == path.parent:
            localized("Rename “\(place)” to “\(destination.name)”")
        case .move(let destination): localized("Move “\(place)” to “\(destination.place)”")
        case .delete: localized("Delete “\(place)”")
        }
    }
}

extension RemotePath {
    /// The path without the slash before it: `work/a.txt`.
    fileprivate var place: String { components.joined(separator: "/") }
}
