internal import ByteClubMessages

/// The order of a list.
package enum ListSort: String, Codable, CaseIterable, Sendable {
    /// A to Z, numbers by value.
    case name
    /// Last modified first.
    case change
    /// Largest first.
    case size

    /// For the list's frame: `by name`.
    package var title: String {
        switch self {
        case .name: localized("by name")
        case .change: localized("by change")
        case .size: localized("by size")
        }
    }

    package var next: ListSort {
        switch self {
        case .name: .change
        case .change: .size
        case .size: .name
        }
    }
}
