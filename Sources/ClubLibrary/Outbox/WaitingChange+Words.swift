internal import ClubStore

extension WaitingChange {
    /// What happens, in a few words: `Write “a.txt”`. Names are as they are, not made safe for a screen.
    public var words: String {
        switch action {
        case .write(.update): "Change “\(path.name)”"
        case .write(.overwrite): "Replace “\(path.name)”"
        case .write: "Add “\(path.name)”"
        case .move(let destination): "Rename “\(path.name)” to “\(destination.name)”"
        case .delete: "Delete “\(path.name)”"
        }
    }
}
