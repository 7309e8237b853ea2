package import ClubLibrary

extension Deletion {
    /// Whether it was a note, and its text is here.
    package var isKeptNote: Bool { hasText && ClubContents.kind(of: file) == .notes }
}
