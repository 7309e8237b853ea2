/// How the note editor shows a text.
package struct EditorSettings: Hashable, Sendable {
    /// Whether long lines wrap between words, or scroll sideways.
    package var wrapsLines = true
    package var showsLineNumbers = false
    /// Cells between tab stops.
    package var tabWidth = 4

    package static let tabWidths = 1...16

    /// The standard settings.
    package init() {}
}

extension Settings {
    /// Reads the section `editor`.
    mutating func readEditor(_ node: YAMLNode) {
        var chosen = editor
        readFields(of: node, "the editor") { fields in
            if let wraps = fields.flag("wrap") { chosen.wrapsLines = wraps }
            if let shows = fields.flag("line-numbers") { chosen.showsLineNumbers = shows }
            if let width = fields.integer("tab-width", in: EditorSettings.tabWidths) {
                chosen.tabWidth = width
            }
        }
        editor = chosen
    }

    /// Reads `mouse`: whether clicks and the wheel go to Byte Club or to the terminal's selection.
    mutating func readMouse(_ node: YAMLNode) {
        if node.isNull { return }
        guard let isOn = node.flag else {
            report(node.line, "“mouse” must be on or off.")
            return
        }
        usesMouse = isOn
    }
}
