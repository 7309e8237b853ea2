internal import ClubStore
package import FoundationEssentials
package import ByteClubPictures

// A club's folder on this computer is named for its identity, not for its name in the settings. Two clubs
// that have had the same name share nothing, and a renamed club keeps its drafts.
extension ClubRegistry {
    /// The server, account and folder of a club, as one name.
    func identity(of club: ClubSettings, hasAccount: Bool = true) -> StoreIdentity {
        var parts = club.place.identityParts.flatMap { ["\($0.count)"] + $0 }
        if hasAccount, case .dropbox = club.place, let account = account(of: club) {
            parts.append(account)
        }
        return StoreIdentity(of: parts)
    }

    /// The folder of a club's drafts.
    package func drafts(of club: ClubSettings) -> URL {
        club.place == .embedded ? paths.drafts : folder(of: club).appending(path: "drafts")
    }

    /// Where earlier versions stored them: under the club's name, and without the account.
    package func earlierDrafts(of club: ClubSettings) -> [URL] {
        guard club.place != .embedded else { return [] }
        let named = paths.stateFolder.appending(path: "clubs/\(club.name)")
        let nameless = folder(identity(of: club, hasAccount: false))
        return
            ((wasKept(in: named, for: club) ? [named] : [])
            + (nameless == folder(of: club) ? [] : [nameless])).map { $0.appending(path: "drafts") }
    }

    /// The folder for sort orders, seen files and deletions of a club's lists.
    package func listFolder(of club: ClubSettings) -> URL {
        stateFolder(of: club).appending(path: "lists")
    }

    /// The folder of a club's local copy: its listing, texts and outbox.
    package func libraryFolder(of club: ClubSettings) -> URL {
        stateFolder(of: club).appending(path: "library")
    }

    /// The folder of a club's transfers.
    package func transfersFolder(of club: ClubSettings) -> URL {
        stateFolder(of: club).appending(path: "transfers")
    }

    /// The folder of a club's editor states.
    package func editorFolder(of club: ClubSettings) -> URL {
        stateFolder(of: club).appending(path: "editor")
    }

    /// Decoded pictures of all clubs; signing out of a club removes its pictures.
    package var pictureCache: PictureCache {
        PictureCache(folder: paths.cacheFolder.appending(path: "pictures"))
    }

    /// The club's name in the cache: not its name in the settings, so that two clubs share nothing.
    package func pictureCacheName(of club: ClubSettings) -> String {
        libraryFolder(of: club).path
    }

    /// The folder of a club's unconfirmed writes.
    func unconfirmedWrites(of club: ClubSettings) -> URL {
        stateFolder(of: club).appending(path: "unsettled")
    }

    /// The capabilities of a club's server.
    func capabilitiesFile(of club: ClubSettings) -> URL {
        folder(of: club).appending(path: "abilities.json")
    }

    /// The folder of a club's state; the embedded club's has a readable name.
    private func stateFolder(of club: ClubSettings) -> URL {
        club.place == .embedded
            ? paths.stateFolder.appending(path: "clubs/embedded") : folder(of: club)
    }

    private func folder(of club: ClubSettings) -> URL { folder(identity(of: club)) }

    /// A club's name never contains “@”.
    private func folder(_ identity: StoreIdentity) -> URL {
        paths.stateFolder.appending(path: "clubs/@\(identity)")
    }

    /// Whether a folder named like the club belonged to this club: for WebDAV, the capabilities file names
    /// the server. For Dropbox an earlier version has stored nothing; the name must suffice.
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
