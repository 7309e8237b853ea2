internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

/// A setting of `config.yml` that `:settings` shows and changes.
struct EditableSetting: Sendable {
    /// The section and the name, as in the file.
    let path: [String]
    let title: String
    let kind: Kind
    /// The current value, as written in the file.
    let value: @Sendable (Settings, ScreenSettings) -> String
    /// A message shown after a change.
    var notice = ""

    enum Kind: Sendable {
        /// Changed immediately to the next value.
        case choice([String])
        /// Entered as text; the hint describes valid values, and the check returns why a value is not valid.
        case text(hint: String, check: @Sendable (String) -> String?)
    }

    static let all: [EditableSetting] = [
        EditableSetting(
            path: ["theme", "name"], title: localized("Theme"),
            kind: .choice(Theme.Scheme.allCases.map(\.rawValue)), value: { $1.scheme.rawValue }),
        EditableSetting(
            path: ["theme", "pictures"], title: localized("How pictures are shown"),
            kind: .choice(PictureSetting.allCases.map(\.rawValue)),
            value: { $1.pictures.rawValue },
            notice: localized("This takes effect at the next start.")),
        flag(["plain"], localized("Screen reader mode"), { settings, _ in settings.isPlain }),
        flag(
            ["mouse"], localized("Mouse"), { settings, _ in settings.usesMouse },
            notice: localized("This takes effect at the next start.")),
        flag(
            ["editor", "wrap"], localized("Wrap long lines"),
            { settings, _ in settings.editor.wrapsLines }),
        flag(
            ["editor", "line-numbers"], localized("Line numbers"),
            { settings, _ in settings.editor.showsLineNumbers }),
        number(
            ["editor", "tab-width"], localized("Tab width"), EditorSettings.tabWidths,
            { settings, _ in settings.editor.tabWidth }),
        EditableSetting(
            path: ["editor", "spelling"], title: localized("Mark misspelled words"),
            kind: .text(hint: localized("off, on, or a language: en_GB.")) { text in
                ["off", "on"].contains(text) || SpellingChoice(language: text) != nil
                    ? nil : localized("off, on or a language such as en_GB is needed.")
            },
            value: { settings, _ in
                switch settings.editor.spelling {
                case .off: "off"
                case .on: "on"
                case .language(let name): name
                }
            }),
        EditableSetting(
            path: ["transfers", "photo-quality"], title: localized("JPEG quality of uploads"),
            kind: .text(hint: localized("From 0.1 to 1; 0.6 is the standard.")) { text in
                let isFine = Double(text).map(TransferSettings.photoQualities.contains) ?? false
                return isFine ? nil : localized("A number from 0.1 to 1 is needed.")
            }, value: { settings, _ in "\(settings.transfers.photoQuality)" }),
        EditableSetting(
            path: ["transfers", "limit-rate"], title: localized("Speed limit per transfer"),
            kind: .text(hint: localized("500K, 4M; empty for no limit.")) { text in
                text.isEmpty || ByteRate(text) != nil
                    ? nil : localized("“\(text)” is not a valid rate. Rates look like 500K or 4M.")
            },
            value: { settings, _ in
                settings.transfers.bytesPerSecondLimit.map(ByteRate.written)
                    ?? localized("no limit")
            }),
        number(
            ["transfers", "at-once"], localized("Transfers at once"),
            TransferSettings.countsAtOnce, { settings, _ in settings.transfers.atOnce }),
        flag(
            ["transfers", "photo-original"], localized("Upload photos unchanged"),
            { settings, _ in settings.transfers.keepsOriginals }),
        flag(
            ["transfers", "photo-location"], localized("Keep the location in photos"),
            { settings, _ in settings.transfers.keepsLocation }),
        flag(
            ["transfers", "wait-on-metered"], localized("Wait on metered networks"),
            { settings, _ in settings.transfers.waitsOnMeteredNetworks },
            notice: localized("This applies to new transfers.")),
        EditableSetting(
            path: ["language"], title: localized("Language"), kind: .choice(Settings.languageNames),
            value: { settings, _ in settings.language?.rawValue ?? "auto" },
            notice: localized("This takes effect at the next start.")),
    ]

    private static func flag(
        _ path: [String], _ title: String,
        _ isOn: @escaping @Sendable (Settings, ScreenSettings) -> Bool, notice: String = ""
    ) -> EditableSetting {
        EditableSetting(
            path: path, title: title, kind: .choice(["off", "on"]),
            value: { isOn($0, $1) ? "on" : "off" }, notice: notice)
    }

    private static func number(
        _ path: [String], _ title: String, _ range: ClosedRange<Int>,
        _ value: @escaping @Sendable (Settings, ScreenSettings) -> Int
    ) -> EditableSetting {
        EditableSetting(
            path: path, title: title,
            kind: .text(hint: localized("From \(range.lowerBound) to \(range.upperBound).")) {
                text in
                Int(text).map(range.contains) ?? false
                    ? nil
                    : localized(
                        "A whole number from \(range.lowerBound) to \(range.upperBound) is needed.")
            }, value: { "\(value($0, $1))" })
    }
}

extension ByteRate {
    /// A rate as written in the file: in the largest unit without a remainder.
    fileprivate static func written(_ bytesPerSecond: Int64) -> String {
        for (unit, size) in [("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)] as [(String, Int64)]
        where bytesPerSecond % size == 0 && bytesPerSecond > 0 {
            return "\(bytesPerSecond / size)\(unit)"
        }
        return "\(bytesPerSecond)"
    }
}
