internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// The club's status at the right end of the tab bar: its name, the account, waiting changes, transfers.
@MainActor struct ClubStatusLine {
    private let club: Club
    /// The active transfers.
    private let moving: [TransferItem]

    init(_ club: Club, moving: [TransferItem]) {
        self.club = club
        self.moving = moving
    }

    /// The complete status, then shorter ones for narrow screens: what waits is said before the account, and
    /// before the club's name.
    var lines: [TextLine] {
        let name = club.settings.title
        let news = waitingWords + transferWords
        return switch club.connection {
        case .connecting:
            [
                TextLine(
                    club.settings.needsSignIn
                        ? localized("connecting to \(name)") : localized("connecting"), .secondary)
            ]
        case .connected:
            [name + accountWords + news, name + news, Self.alone(news) ?? name].map {
                TextLine($0, .secondary)
            }
        case .failed(let error) where club.settings.isFixedBySignIn(error):
            [
                TextLine(
                    (error.code == .untrusted
                        ? localized("cannot verify ") : localized("signed out of ")) + name,
                    .warning)
            ]
        case .failed:
            [localized("\(name) · offline") + news, localized("offline") + news].map {
                TextLine($0, .warning)
            }
        }
    }

    /// Words without the separator before them; nil if there are none.
    private static func alone(_ words: String) -> String? {
        words.isEmpty ? nil : String(words.drop { $0 == " " || $0 == "·" })
    }

    /// ` · 3 changes waiting`.
    private var waitingWords: String {
        let refused = club.waiting.count { $0.problem != nil }
        if refused > 0 { return localized(" · \(Self.changes(refused)) refused, see :outbox") }
        guard !club.waiting.isEmpty else { return "" }
        return localized(" · \(Self.changes(club.waiting.count)) waiting")
    }

    /// ` · ↓ 45 %`, ` · ↑↓ 3, 45 %`: the progress of all active transfers together.
    private var transferWords: String {
        let wanted = moving
        guard !wanted.isEmpty else { return "" }
        let arrows = Set(wanted.map(\.arrow)).sorted().joined()
        let count = wanted.count > 1 ? " \(wanted.count)," : ""
        return " · \(arrows)\(count)"
            + (TransferItem.percent(of: wanted).map { " \($0)%" } ?? " …")
    }

    static func changes(_ count: Int) -> String {
        count == 1 ? localized("1 change") : localized("\(count) changes")
    }

    /// ` · Ada Lovelace · 1.2 GB of 2.0 GB`.
    private var accountWords: String {
        guard let account = club.account else { return "" }
        var words = " · " + account.displayName
        if let allocated = account.allocatedBytes {
            words +=
                localized(
                    " · \(Wording.byteCount(account.usedBytes)) of \(Wording.byteCount(allocated))")
        }
        return words
    }
}

extension TransferItem {
    /// Nil until a size is known; 100 only when all transfers are confirmed.
    static func percent(of wanted: [TransferItem]) -> Int? {
        // Sizes come from a server: their sum may overflow an integer.
        let total = wanted.reduce(0) { $0 + Double($1.status.totalByteCount) }
        let moved = wanted.reduce(0) { $0 + Double($1.status.byteCount) }
        return total > 0 ? max(0, min(99, Int(min(1, moved / total) * 100))) : nil
    }
}
