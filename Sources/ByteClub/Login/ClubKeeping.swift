internal import FoundationEssentials

/// Which name a club gets, and how it is kept: the same for every kind of club.
struct ClubKeeping: Sendable {
    let book: ClubBook
    let secrets: Secrets

    init(_ book: ClubBook) {
        self.book = book
        secrets = Secrets(paths: book.paths)
    }

    /// Which club this will be: the one of the name, or the one that is the same already, or a new one.
    ///
    /// - Parameters:
    ///   - name: What the person wants to call it; nil for the usual name of its kind, or “dropbox-2”
    ///     when that is another club.
    /// - Throws: `.badInput` for a name that will not do, or that is another club's; `.settings` when
    ///   `config.yml` cannot be changed.
    func club(
        named name: String?, at place: ClubSettings.Place, usually usualName: String
    ) throws(JoiningError) -> ClubSettings {
        if let error = book.settingsFile.refusalToChange() { throw .settings(error) }
        let clubs = book.read().clubs
        if let name {
            if let refusal = ClubSettings.refusal(ofName: name) { throw .badInput(refusal) }
            guard let other = clubs.first(where: { $0.name.lowercased() == name.lowercased() })
            else {
                return ClubSettings(name: name, place: place)
            }
            guard other.place == place || book.secretPlace(of: other) == nil else {
                throw .badInput(
                    "There is another club named “\(other.name)”. Give this one another name, or sign out "
                        + "there first: byteclub logout \(other.name)")
            }
            return ClubSettings(name: other.name, place: place)
        }
        if let same = clubs.first(where: { $0.place == place }) { return same }
        for name in [usualName] + (2...999).map({ "\(usualName)-\($0)" }) {
            let other = clubs.first { $0.name.lowercased() == name.lowercased() }
            if let other, book.secretPlace(of: other) != nil { continue }
            return ClubSettings(name: other?.name ?? name, place: place)
        }
        throw .badInput("There are too many clubs. Give this one a name.")
    }

    /// Keeps what was signed in with, and the club; it is the current one then.
    func keep(_ secret: Data, for club: ClubSettings) async throws(JoiningError) {
        let old = book.secretPlace(of: club)
        let place: SecretPlace
        do throws(SecretError) {
            place = try await secrets.write(
                secret, account: club.name, label: "Byte Club: \(club.name)", to: nil)
        } catch {
            throw .secret(error)
        }
        do throws(SettingsError) {
            try book.settingsFile.set(club)
            try book.remember(secretsOf: club, in: place)
            try book.makeCurrent(club)
        } catch {
            if old != place { try? await secrets.remove(club.name, from: place) }
            throw .settings(error)
        }
        if let old, old != place { try? await secrets.remove(club.name, from: old) }
    }
}
