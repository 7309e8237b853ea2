internal import ClubStore
internal import Messages

extension WaitingChange {
    /// What happens, in a few words: `Write “a.txt”`. Names are as they are, not made safe for a screen.
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
