/// What a tab lists.
package enum FileKind: String, Codable, CaseIterable, Sendable {
    /// The files at the club's top and in the folders there, but for the photos folder.
    case notes
    /// The JPEGs in the photos folder.
    case photos

    package var tabTitle: String {
        switch self {
        case .notes: "Notes"
        case .photos: "PanoPhotos"
        }
    }

    package var singular: String {
        switch self {
        case .notes: "note"
        case .photos: "photo"
        }
    }

    /// `1 note`, `2 notes`.
    package func count(_ count: Int) -> String { Wording.count(count, singular, rawValue) }
}
