internal import ClubAccess
internal import TerminalUI

/// The syntax of values in `config.yml` as regular expressions for its schema.
///
/// Limited to syntax that JavaScript, which editors use, and Python share. Beyond ASCII they accept more than
/// the reader, which knows each character's properties.
enum SettingsPatterns {
    // MARK: - Clubs

    /// See ``ClubSettings/refusal(ofName:)``.
    static var clubName: String {
        let taken = ClubSettings.embeddedNames.sorted().map(anyCase).joined(separator: "|")
        return "^(?!(\(taken))$)(?![.-])[0-9A-Za-z_.\\-\\u00aa-\\uffff]{1,64}$"
    }

    /// See ``ClubSettings/refusal(ofAddress:allowsPlain:)``.
    static let address = address(scheme: "[Hh][Tt][Tt][Pp][Ss]?", host: host)

    /// An address that contains a secret: https, or on this computer.
    static let secretAddress = [
        address(scheme: "[Hh][Tt][Tt][Pp][Ss]", host: host),
        address(
            scheme: "[Hh][Tt][Tt][Pp]",
            host: "([Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]|127(\\.[0-9]{1,3}){3}|\\[::1\\])"),
    ].joined(separator: "|")

    private static let host = "(\\[[0-9A-Fa-f:.]+\\]|[^/?#@:\\[\\]\\s]+)"

    /// Without user name and password, with a port from 1 to 65535, without `.` and `..` in the path, without
    /// query.
    private static func address(scheme: String, host: String) -> String {
        let port =
            "6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}"
        let dot = "(\\.|%2[Ee])"
        return "^\(scheme)://\(host)(:(0*(\(port)))?)?(/(?!\(dot){1,2}(/|$))[^/?#]*)*$"
    }

    static let appKey = "^[!#-\\[\\]-~]{1,200}$"

    /// See ``ClubSettings/root(of:)``.
    static let folder =
        "^(/?((?! )[^/\\\\\\u0000-\\u001f\\u007f-\\u009f]*[^/\\\\ .\\u0000-\\u001f\\u007f-\\u009f](/|$))*)$"

    static let user = "^[^:\\u0000-\\u001f\\u007f-\\u009f]+$"
    static let pin = "^sha256//[A-Za-z0-9+/]{43}=$"

    // MARK: - Keys

    /// See ``KeySequence/init(names:)``.
    static let keys = sequence(of: [plain, named, control])

    /// The same where letters are text input.
    static let keysWhereLettersAreText = sequence(of: ["\(alt)\(plain)", named, control])

    private static func sequence(of presses: [String]) -> String {
        let press = "(\(presses.joined(separator: "|")))"
        return "^ *\(press)( +\(press))* *$"
    }

    /// A key that types a character, with or without Alt.
    private static let plain =
        "\(alt)*(\(shift)\(alt)*[A-Za-z\\u00aa-\\uffff]|[!-~\\u00a1-\\uffff])"

    private static let alt = "(M-|\(anyCase("alt"))\\+)"
    private static let shift = "(S-|\(anyCase("shift"))\\+)"
    private static let ctrl = "(C-|\(anyCase("ctrl"))\\+)"

    private static let named: String = {
        let names = [
            "space", "enter", "return", "tab", "backspace", "esc", "escape", "ins", "insert", "del",
            "delete", "up", "down", "left", "right", "home", "end", "pgup", "pageup", "pgdn",
            "pagedown",
        ]
        let words = names.map(anyCase).joined(separator: "|")
        return "(\(ctrl)|\(alt)|\(shift))*(\(words)|[↑↓←→]|[Ff]0*([1-9]|[1-5][0-9]|6[0-3]))"
    }()

    private static let control = "\(alt)*(\(ctrl)(\(ctrl)|\(alt))*|\\^)[A-Za-z\\[\\\\\\]^_]"

    // MARK: - Looks

    /// See ``Style/init(names:)``.
    static let look: String = {
        let attribute = "(bold|dim|italic|underline|reverse)"
        let number = "0*(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[0-9]{1,2})"
        let name = "(bright-)?(black|red|green|yellow|blue|magenta|cyan|white)"
        let color = "(default|\(name)|\(number)|#[0-9A-Fa-f]{6})"
        let (attributes, text) = ("(\(attribute)(\\s+|$))*", "\(color)(\\s+|$)")
        let ground = "on\\s+\(text)"
        let colors =
            "(\(text)\(attributes)(\(ground)\(attributes))?|\(ground)\(attributes)(\(text)\(attributes))?)?"
        return "^(?!.*\\b\(attribute)\\b.*\\b\\1\\b)\\s*(?=\\S)\(attributes)\(colors)$"
    }()

    // MARK: - Others

    static let flag =
        "^(\(["on", "off", "yes", "no", "true", "false"].map(anyCase).joined(separator: "|")))$"

    /// See ``ByteRate/init(_:)``.
    static let language = "^(?=.{2,20}$)[A-Za-z]{2,3}([_-][A-Za-z0-9]+)*$"
    static let rate = "^(?!0*(\\.0*)?[KMGkmg]?$)([0-9]+(\\.[0-9]*)?|\\.[0-9]+)[KMGkmg]?$"

    /// A word in any case.
    private static func anyCase(_ word: String) -> String {
        word.map { "[\($0.uppercased())\($0)]" }.joined()
    }
}
