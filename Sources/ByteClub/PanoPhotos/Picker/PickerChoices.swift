internal import ByteClubMessages
internal import TerminalUI

/// What is chosen in the photo picker besides photos: how they are listed and uploaded.
struct PickerChoices: Equatable {
    var order = PhotoFolder.Order.name
    var showsHidden = false
    /// Whether photos are uploaded unchanged.
    var keepsOriginals = false

    /// `2 photos are marked. · by date · photos go as they are`; empty if there is nothing to say.
    func summary(marked count: Int) -> TextLine {
        var parts: [TextLine] = []
        if count > 0 {
            let words =
                count == 1
                ? localized("1 photo is marked.") : localized("\(count) photos are marked.")
            parts.append(TextLine(words, .marked))
        }
        if order == .date { parts.append(TextLine(localized("by date"), .secondary)) }
        if showsHidden { parts.append(TextLine(localized("with hidden files"), .secondary)) }
        if keepsOriginals { parts.append(TextLine(localized("photos go as they are"), .secondary)) }
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first) { $0 + TextLine(" · ", .secondary) + $1 }
    }
}
