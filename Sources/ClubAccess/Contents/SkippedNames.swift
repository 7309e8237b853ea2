internal import ByteClubMessages

/// The entries of a club that can be neither shown nor requested; see `Listing.skipped`.
package enum SkippedNames {
    /// A sentence about them and what to do; nil for none.
    ///
    /// - Parameter places: They come from outside: sanitize the sentence like a file name.
    package static func sentence(_ places: [String]) -> String? {
        guard let first = places.first else { return nil }
        let name = "“\(first.drop { $0 == "/" })”"
        return places.count == 1
            ? localized(
                "\(name) is not shown: its name is not UTF-8, or is too long. Rename it there.")
            : localized(
                "\(name) and \(places.count - 1) more are not shown: their names are not UTF-8, or are too long. "
                    + "Rename them there.")
    }
}
