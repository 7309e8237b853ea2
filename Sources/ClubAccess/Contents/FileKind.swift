internal import ByteClubMessages

/// What a tab lists.
package enum FileKind: String, Codable, CaseIterable, Sendable {
    /// The files in the club's top folder and its subfolders, except the photos folder.
    case notes
    /// The pictures in the photos folder.
    case photos

    package var tabTitle: String {
        switch self {
        case .notes: localized("Notes")
        case .photos: localized("PanoPhotos")
        }
    }

    package var singular: String {
        switch self {
        case .notes: localized("note")
        case .photos: localized("photo")
        }
    }

    package var plural: String {
        switch self {
        case .notes: localized("notes")
        case .photos: localized("photos")
        }
    }

    /// `1 note`, `2 notes`.
    package func count(_ count: Int) -> String {
        switch self {
        case .notes: Localization.text(count, one: "\(count) note", other: "\(count) notes")
        case .photos: Localization.text(count, one: "\(count) photo", other: "\(count) photos")
        }
    }
}
