internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

/// The editor's fields: the name of a new note, and the text below it.
///
/// With few rows the labels are hidden first, then the name while the text has focus.
final class NoteForm: View {
    /// Nil where the name is not edited.
    private let nameField: TextField?
    private let textView: View
    private let findBar: FindBar

    init(nameField: TextField? = nil, textView: View, findBar: FindBar) {
        self.nameField = nameField
        self.textView = textView
        self.findBar = findBar
        super.init()
        if let nameField { addSubview(nameField) }
        addSubview(textView)
        addSubview(findBar)
        findBar.didChangeLayout = { [weak self] in self?.setNeedsLayout() }
    }

    private var showsLabels: Bool { bounds.height >= 6 }

    override var keyTableSignature: Int? { 0 }

    override func layoutSubviews() {
        var area = bounds
        if let nameField {
            // Without a label, the field names itself.
            nameField.placeholder = TextLine(
                showsLabels
                    ? localized("For example: Reverse a list") : localized("Challenge name"),
                .secondary)
            if showsLabels { _ = area.takeTop(1) }
            nameField.frame = area.takeTop(1)
            if bounds.height >= 8 { _ = area.takeTop(1) }
            if showsLabels { _ = area.takeTop(1) }
        }
        if !findBar.isHidden {
            findBar.frame = area.takeBottom(max(1, min(findBar.rowCount, area.height - 1)))
        }
        textView.frame = area
    }

    override func draw(on surface: Surface) {
        guard let nameField, showsLabels else { return }
        draw(localized("Challenge name"), above: nameField, on: surface)
        draw(localized("Note"), above: textView, on: surface)
    }

    private func draw(_ label: String, above field: View, on surface: Surface) {
        surface.draw(
            label, at: Point(x: 0, y: field.frame.y - 1),
            role: field.containsFirstResponder ? .accent : .secondary)
    }
}
