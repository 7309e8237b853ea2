internal import ClubStore
internal import ByteClubMessages

extension WaitingChange {
    /// A short description: `Write “a.txt”`. Names are unescaped, not safe for a screen.
    public var words: String {
        switch action {
        case .write(.update): localized("Change “\(path.name)”")
        case .write(.overwrite): localized("Replace “\(path.name)”")
        case .write: localized("Add “\(path.name)”")
        case .move(let destination): localized("Rename “\(path.name)” to “\(destination.name)”")
        case .delete: localized("Delete “\(path.name)”")
        }
    }
}
