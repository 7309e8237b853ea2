/// How the note editor shows a text.
package struct EditorSettings: Hashable, Sendable {
    /// Whether long lines are broken between words, or scroll sideways.
    package var wrapsLines = true
    package var showsLineNumbers = false
    /// Cells between tab stops.
    package var tabWidth = 4

    static let tabWidths = 1...16
}

extension Settings {
    /// Reads the section `editor`.
    mutating func readEditor(_ node: YAMLNode) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(
                node.line, "The editor's settings must be names, each with a value after a colon.")
            return
        }
        var fields = SettingsFields(pairs, of: "the editor", line: node.line)
        if let wraps = fields.flag("wrap") { editor.wrapsLines = wraps }
        if let shows = fields.flag("line-numbers") { editor.showsLineNumbers = shows }
        if let width = fields.integer("tab-width", in: EditorSettings.tabWidths) {
            editor.tabWidth = width
        }
        if !isNewer { fields.reportUnknown() }
        problems += fields.problems
    }

    /// Reads `mouse`: whether clicks and the wheel are Byte Club's, or the terminal's to select with.
    mutating func readMouse(_ node: YAMLNode) {
        if node.isNull { return }
        guard let isOn = node.flag else {
            report(node.line, "“mouse” must be on or off.")
            return
        }
        usesMouse = isOn
    }
}
