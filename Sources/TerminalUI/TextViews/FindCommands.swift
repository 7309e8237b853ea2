internal import ByteClubMessages

extension KeyCommand {
    /// Opens the find bar with the selected words, otherwise with the last search.
    public static let find = KeyCommand(
        "find.open", keys: ["^F"], title: localized("Find in the text"), label: localized("find"),
        weight: 60)
    /// Opens both rows, for finding and for replacing.
    public static let replace = KeyCommand(
        "find.replace", keys: ["^R"], title: localized("Find and replace"),
        label: localized("replace"), weight: 39)
    /// Selects the next match, from the last one the first; also while the bar is closed.
    public static let findNext = KeyCommand(
        "find.next", keys: ["^N"], title: localized("Next match"))
    /// Selects the previous match, from the first one the last; also while the bar is closed.
    public static let findPrevious = KeyCommand(
        "find.previous", keys: ["^P"], title: localized("Previous match"))
    /// In the field: the next match, or this one replaced.
    public static let findEnter = KeyCommand(
        "find.enter", keys: ["Enter"], title: localized("Next match"), label: localized("next"),
        weight: 92)
    /// In the field: the previous match.
    public static let findEnterBack = KeyCommand(
        "find.enter-back", keys: ["S-Enter"], title: localized("Previous match"))
    /// Replaces every match, as one step to be undone. Available while the replacement is shown.
    public static let replaceAll = KeyCommand(
        "find.all", keys: ["M-a"], title: localized("Replace all, as one step"),
        label: localized("all"), weight: 91)
    /// Switches between a regular expression and text that stands for itself, and searches again.
    public static let toggleExpression = KeyCommand(
        "find.expression", keys: ["M-r"],
        title: localized("Regular expression, or the text as it is"),
        label: localized("regex"), weight: 72)
    /// Goes to the next rule for capital and small letters, and searches again.
    public static let toggleCase = KeyCommand(
        "find.case", keys: ["M-c"], title: localized("Case: smart, exact or ignored"),
        label: localized("case"),
        weight: 61)
    /// From the first field to the replacement, if it is shown, else into the text at the match.
    public static let leaveFind = KeyCommand(
        "find.leave", keys: ["Tab"],
        title: localized("To the next field, then into the text at the match"),
        label: localized("edit here"), weight: 80)
    /// Closes the bar; the caret goes back to where it was unless something was replaced.
    public static let closeFind = KeyCommand(
        "find.close", keys: ["Esc"], title: localized("Close, and back to where the caret was"),
        label: localized("back"), weight: 101)

    /// The commands of finding and replacing in a text.
    public static let findCommands: [KeyCommand] = [
        .find, .replace, .findNext, .findPrevious, .findEnter, .findEnterBack, .replaceAll,
        .toggleExpression, .toggleCase, .leaveFind, .closeFind,
    ]
}
