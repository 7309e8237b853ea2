/// What of a club can be neither shown nor asked for; see `Listing.skipped`.
package enum SkippedNames {
    /// What it is and what to do about it; nil for nothing.
    ///
    /// - Parameter places: They come from outside: draw the sentence as you would a file's name.
    package static func sentence(_ places: [String]) -> String? {
        guard let first = places.first else { return nil }
        let name = "“\(first.drop { $0 == "/" })”"
        return places.count == 1
            ? "\(name) is not shown: its name is no UTF-8, or too long. Rename it there."
            : "\(name) and \(places.count - 1) more are not shown: their names are no UTF-8, or too long. "
                + "Rename them there."
    }
}
