internal import Messages

/// What a list is ordered by.
package enum ListSort: String, Codable, CaseIterable, Sendable {
    /// A to Z, numbers by their value.
    case name
    /// What has changed last comes first.
    case change
    /// The largest come first.
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
