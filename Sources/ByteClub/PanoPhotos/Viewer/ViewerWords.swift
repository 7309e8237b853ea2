internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import ByteClubPictures

extension FetchProgress {
    /// In place of the picture.
    var sentence: String {
        guard let expected else {
            return localized("Fetching the picture… \(Wording.byteCount(received))")
        }
        return localized(
            "Fetching the picture… \(Wording.byteCount(received)) of \(Wording.byteCount(expected))"
        )
    }

    /// Beside a smaller picture.
    var words: String {
        guard let expected else { return localized("fetching \(Wording.byteCount(received))") }
        return localized(
            "fetching \(Wording.byteCount(received)) of \(Wording.byteCount(expected))")
    }
}

extension PictureDetails {
    /// The details of a photo, each in a few words.
    var words: [String] {
        var words = ["\(size)"]
        if wraps { words.append("360°") }
        words += [camera, date, artist.map { localized("by \($0)") }].compactMap(\.self)
        if let location { words.append(location.words) }
        return words
    }
}

extension PictureDetails.Location {
    /// `47.3769° N, 8.5417° E`.
    fileprivate var words: String {
        func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
            let tenThousandths = Int((abs(value) * 10_000).rounded())
            let digits = String(tenThousandths % 10_000 + 10_000).dropFirst()
            return "\(tenThousandths / 10_000).\(digits)° \(value < 0 ? negative : positive)"
        }
        return "\(degrees(latitude, "N", "S")), \(degrees(longitude, "E", "W"))"
    }
}
