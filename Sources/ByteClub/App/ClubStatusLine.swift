internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// The club's status at the right end of the tab bar: its name, the account, waiting changes, transfers.
@MainActor struct ClubStatusLine {
    private let club: Club
    /// The active transfers.
    private let moving: TransferBatch

    init(_ club: Club, moving: TransferBatch) {
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

    /// ` · ↓ 45 %`, ` · ↑↓ 2/5, 45 %`: the progress of all active transfers together.
    private var transferWords: String {
        guard !moving.wanted.isEmpty else { return "" }
        let place = moving.place.map { " \($0)," } ?? ""
        return " · \(moving.arrows)\(place)" + (moving.percent.map { " \($0)%" } ?? " …")
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
