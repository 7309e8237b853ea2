internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalUI

/// The line above a picture: what is shown, and how.
struct ViewerCaption {
    /// What is shown of the photo.
    struct Picture {
        var isDamaged: Bool
        /// Whether it is the photo's own file, not a preview.
        var isOriginal: Bool
        /// Whether no better one follows.
        var isWhole: Bool

        init(_ picture: LoadedPicture) {
            self.init(
                isDamaged: picture.isDamaged, isOriginal: picture.isOriginal,
                isWhole: picture.isWhole)
        }

        init(isDamaged: Bool = false, isOriginal: Bool = false, isWhole: Bool = true) {
            self.isDamaged = isDamaged
            self.isOriginal = isOriginal
            self.isWhole = isWhole
        }

        fileprivate var words: String {
            if isDamaged { return localized("damaged: part of the picture is missing") }
            return isOriginal ? localized("the file itself") : localized("preview")
        }
    }

    var photo: RemoteFile
    var isGone = false
    /// Nil before there is one.
    var picture: Picture?
    /// The photo's details, if they are wanted.
    var details: PictureDetails?
    var zoom: ZoomWords?
    var heading: String?
    /// How much of a better picture has been fetched.
    var fetched: String?
    /// The photo's download, if there is one.
    var transfer: String?

    func line(isNarrow: Bool, at now: Date) -> TextLine {
        var words = words(at: now)
        // What is wrong comes first where there is little room.
        if isNarrow, let trouble { words.insert(trouble, at: 0) }
        guard isNarrow, let first = words.first else {
            let rest = words.joined(separator: " · ")
            return TextLine(name: photo.name) + TextLine(" · " + rest, .secondary)
        }
        // On a small screen a long name is cut.
        return TextLine(first + " · ", .secondary) + TextLine(name: photo.name)
            + TextLine(words.dropFirst().map { " · " + $0 }.joined(), .secondary)
    }

    private var trouble: String? {
        if isGone { return localized("no longer in the club") }
        return picture?.isDamaged == true ? localized("damaged") : nil
    }

    /// The most important first.
    private func words(at now: Date) -> [String] {
        var words: [String] = []
        if picture != nil, details == nil, let zoom { words.append(zoom.short) }
        if let heading { words.append(heading) }
        words.append(Wording.byteCount(photo.byteCount))
        if isGone { words.append(localized("no longer in the club")) }
        if let picture {
            words.append(picture.words)
            if !picture.isWhole { words.append(fetched ?? localized("sharper in a moment")) }
        }
        if let details {
            words += details.words
            if details.date == nil {
                words.append(localized("changed \(Wording.timeAgo(photo.modified, at: now))"))
            }
            if let zoom { words.append(zoom.long) }
        }
        if let transfer { words.append(transfer) }
        return words
    }
}
