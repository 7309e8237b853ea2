internal import ClubStore
package import FoundationEssentials

// What a club's folder on this computer is named for: not what a person calls the club, but which club it
// is. Two clubs that bear one name after another share nothing, and a club that is renamed keeps its drafts.
extension ClubRegistry {
    /// The server, the account and the folder of a club, as one name.
    func identity(of club: ClubSettings, hasAccount: Bool = true) -> StoreIdentity {
        var parts = club.place.identityParts.flatMap { ["\($0.count)"] + $0 }
        if hasAccount, case .dropbox = club.place, let account = account(of: club) {
            parts.append(account)
        }
        return StoreIdentity(of: parts)
    }

    /// Where a club's drafts are kept.
    package func drafts(of club: ClubSettings) -> URL {
        club.place == .embedded ? paths.drafts : folder(of: club).appending(path: "drafts")
    }

    /// Where earlier versions have kept them: under the club's name, and without the account.
    package func earlierDrafts(of club: ClubSettings) -> [URL] {
        guard club.place != .embedded else { return [] }
        let named = paths.stateFolder.appending(path: "clubs/\(club.name)")
        let nameless = folder(identity(of: club, hasAccount: false))
        return
            ((wasKept(in: named, for: club) ? [named] : [])
            + (nameless == folder(of: club) ? [] : [nameless])).map { $0.appending(path: "drafts") }
    }

    /// What was sent to a club and is not known to have arrived.
    func unsettledWrites(of club: ClubSettings) -> URL {
        club.place == .embedded
            ? paths.embeddedUnconfirmedWrites : folder(of: club).appending(path: "unsettled")
    }

    /// What was found out about a club's server.
    func capabilitiesFile(of club: ClubSettings) -> URL {
        folder(of: club).appending(path: "abilities.json")
    }

    private func folder(of club: ClubSettings) -> URL { folder(identity(of: club)) }

    /// No club's name has an “@” in it.
    private func folder(_ identity: StoreIdentity) -> URL {
        paths.stateFolder.appending(path: "clubs/@\(identity)")
    }

    /// Whether a folder that bears the club's name was this club's: at WebDAV, what was found out about the
    /// server says whose it is. Of Dropbox an earlier version has noted nothing; the name has to do.
    private func wasKept(in named: URL, for club: ClubSettings) -> Bool {
        struct Record: Decodable { var account: String }
        guard case .webdav(var webdav) = club.place,
            let data = try? Data(contentsOf: named.appending(path: "abilities.json")),
            let record = try? JSONDecoder().decode(Record.self, from: data),
            let url = URL(string: record.account)
        else { return true }
        webdav.url = url
        return ClubSettings.Place.webdav(webdav).isSame(as: club.place)
    }
}
