internal import ClubAccess
internal import TerminalUI

extension ScreenSettings {
    /// Reads the section `theme`: from what a text is for to how it looks, e.g. `selection: white on 25 bold`.
    mutating func readTheme(_ node: YAMLNode) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(node.line, "The theme must be names of roles, each with its look after a colon.")
            return
        }
        var seen: Set<Role> = []
        for (key, value) in pairs {
            guard let role = key.scalar.flatMap(Role.init(rawValue:)) else {
                if !isNewer {
                    report(
                        key.line,
                        "There is no role “\(key.scalar ?? "")”. There are: \(Self.roleNames).")
                }
                continue
            }
            guard seen.insert(role).inserted else {
                report(key.line, "“\(role.rawValue)” is there twice; the first one counts.")
                continue
            }
            guard let text = value.scalar, let style = Style(names: text) else {
                report(
                    value.line,
                    "“\(value.scalar ?? "")” is no look. Looks are written like: bold blue, 231 on 25, \"white on #005f87\" (with quotes, "
                        + "for YAML takes what follows a # for a comment)."
                )
                continue
            }
            styles[role] = style
        }
    }

    private static let roleNames = Role.allCases.map(\.rawValue).joined(separator: ", ")
}
