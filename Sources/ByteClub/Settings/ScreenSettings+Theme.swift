internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

extension ScreenSettings {
    /// Reads the section `theme`: maps a role to a style, e.g. `selection: white on 25 bold`; `pictures` is
    /// how pictures are shown.
    mutating func readTheme(_ node: YAMLNode) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(
                node.line,
                localized(
                    "The theme must be names of roles, each with its style after a colon, and “name” with one of: \(Self.schemeNames)."
                )
            )
            return
        }
        var seen: Set<Role> = []
        var isNamed = false
        var hasPictures = false
        for (key, value) in pairs {
            if key.scalar == "name" {
                readScheme(value, isRepeated: isNamed, at: key.line)
                isNamed = true
                continue
            }
            if key.scalar == "pictures" {
                readPictures(value, isRepeated: hasPictures, at: key.line)
                hasPictures = true
                continue
            }
            guard let role = key.scalar.flatMap(Role.init(rawValue:)) else {
                if !isNewer {
                    report(
                        key.line,
                        localized(
                            "There is no role “\(key.scalar ?? "")”. The roles are: \(Self.roleNames)."
                        )
                    )
                }
                continue
            }
            guard seen.insert(role).inserted else {
                report(
                    key.line, localized("“\(role.rawValue)” is there twice; the first one counts."))
                continue
            }
            guard let text = value.scalar, let style = Style(names: text) else {
                report(
                    value.line,
                    localized(
                        "“\(value.scalar ?? "")” is not a style. Styles are written like: bold blue, 231 on 25, \"white on #005f87\" (with quotes, "
                            + "for YAML takes what follows a # for a comment).")
                )
                continue
            }
            styles[role] = style
        }
    }

    private mutating func readScheme(_ node: YAMLNode, isRepeated: Bool, at line: Int) {
        guard !isRepeated else {
            return report(line, localized("“name” is there twice; the first one counts."))
        }
        guard let scheme = node.scalar.flatMap(Theme.Scheme.init(rawValue:)) else {
            return report(
                node.line,
                localized(
                    "There is no theme “\(node.scalar ?? "")”. The themes are: \(Self.schemeNames)."
                ))
        }
        self.scheme = scheme
    }

    private static let schemeNames = Theme.Scheme.allCases.map(\.rawValue).joined(separator: ", ")

    private mutating func readPictures(_ value: YAMLNode, isRepeated: Bool, at line: Int) {
        guard !isRepeated else {
            return report(line, localized("“pictures” is there twice; the first one counts."))
        }
        guard let setting = value.scalar.flatMap(PictureSetting.init(rawValue:)) else {
            let names = PictureSetting.allCases.map(\.rawValue).joined(separator: ", ")
            return report(
                value.line,
                localized(
                    "“pictures” cannot be “\(value.scalar ?? "")”. It can be: \(names)."))
        }
        pictures = setting
    }

    private static let roleNames = Role.allCases.map(\.rawValue).joined(separator: ", ")
}
