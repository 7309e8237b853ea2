internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Compares the typed version of a note with the club's, and offers the ways to continue.
final class NoteComparisonViewController: TextPageViewController {
    enum Choice {
        case keepBoth
        case replace
        /// Edit both texts, with conflict markers.
        case editBoth
        /// Return to the question.
        case back
    }

    private let canEditBoth: Bool
    /// Called after the page was dismissed.
    private let didChoose: @MainActor (Choice) -> Void

    /// - Parameter canEditBoth: Whether the club's version can be shown in the editor.
    init(
        name: String, page: TextPage, canEditBoth: Bool,
        didChoose: @escaping @MainActor (Choice) -> Void
    ) {
        self.canEditBoth = canEditBoth
        self.didChoose = didChoose
        super.init(
            title: localized("“\(name)”: yours and the club's"), page: page,
            footer: TextLine(localized("- in yours alone · + in the club's alone")))
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Comparison")) {
            KeyCommand.closePage.performs { self.choose(.back) }
            KeyCommand.keepBothVersions.performs { self.choose(.keepBoth) }
            KeyCommand.replaceOtherVersion.performs { self.choose(.replace) }
            KeyCommand.editBothVersions.performs(
                unless: canEditBoth
                    ? nil : localized("The club's version is not UTF-8: it cannot be edited here.")
            ) { self.choose(.editBoth) }
        }
    }

    private func choose(_ choice: Choice) {
        dismiss { [didChoose] in didChoose(choice) }
    }
}

extension KeyCommand {
    static let keepBothVersions = KeyCommand(
        "comparison.keep-both", keys: ["b"],
        title: localized("Keep both: yours under another name"), label: localized("keep both"),
        weight: 80)
    static let replaceOtherVersion = KeyCommand(
        "comparison.replace", keys: ["r"], title: localized("Replace the club's version by yours"),
        label: localized("replace"), weight: 70)
    static let editBothVersions = KeyCommand(
        "comparison.edit", keys: ["e"],
        title: localized("Edit both in one text, with marks where they differ"),
        label: localized("edit both"), weight: 75)

    static let comparisonCommands: [KeyCommand] = [
        .keepBothVersions, .editBothVersions, .replaceOtherVersion,
    ]
}
