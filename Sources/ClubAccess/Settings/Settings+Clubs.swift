internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages

extension Settings {
    /// Reads the section `clubs`: a mapping from names to clubs.
    mutating func readClubs(_ node: YAMLNode) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(
                node.line, localized("The clubs must be names, each with its settings below it."))
            hideClubs()
            return
        }
        var lines: [String: Int] = [:]
        for (key, value) in pairs {
            guard let name = key.scalar else {
                report(key.line, localized("A club's name must be a word."))
                continue
            }
            // On some disks, names that differ only in case would share files.
            if let line = lines[name.lowercased()] {
                report(
                    key.line,
                    localized("There is a club named “\(name)” in line \(line) already; it counts.")
                )
                continue
            }
            lines[name.lowercased()] = key.line
            let problemCount = problems.count
            if let refusal = ClubSettings.refusal(ofName: name) {
                report(key.line, refusal)
            } else if let place = readPlace(value, ofClub: name, at: key.line) {
                clubs.append(ClubSettings(name: name, place: place))
            } else {
                let newer = Problem(
                    line: key.line,
                    sentence: localized("The club “\(name)” is for a newer Byte Club."))
                hideClub(name, by: problems.dropFirst(problemCount).first ?? newer)
            }
        }
    }

    private mutating func readPlace(
        _ node: YAMLNode, ofClub name: String, at line: Int
    ) -> ClubSettings.Place? {
        guard let pairs = node.pairs else {
            report(
                line,
                localized(
                    "The club “\(name)” needs a kind (dropbox, webdav) and what belongs to it."))
            return nil
        }
        var fields = SettingsFields(pairs, of: localized("the club “\(name)”"), line: line)
        let place: ClubSettings.Place?
        switch fields.text("kind") {
        case "dropbox": place = fields.dropbox()
        case "webdav": place = fields.webdav()
        case nil:
            fields.report(
                line, localized("The club “\(name)” does not say its kind (dropbox, webdav)."))
            place = nil
        case let kind?:
            if !isNewer {
                fields.report(
                    fields.line(of: "kind"), localized("There is no kind of club “\(kind)”."))
            }
            place = nil
        }
        if place != nil, !isNewer { fields.reportUnknown() }
        problems += fields.problems
        return place
    }
}

extension SettingsFields {
    fileprivate mutating func webdav() -> ClubSettings.Place? {
        let address = text("url")
        let user = text("user")
        let way = text("sign-in")
        let file = text("ca-file")
        let pin = text("pin")
        let signIn: ClubSettings.WebDAV.SignIn
        switch (way, user) {
        case ("token", nil): signIn = .token
        case ("token", _):
            report(
                line(of: "user"), localized("A token says whose it is: \(owner) needs no “user”."))
            return nil
        case (nil, let user?), ("password", let user?): signIn = .password(user: user)
        case (nil, nil), ("password", nil):
            report(ownLine, localized("A “user” is missing in \(owner), or “sign-in: token”."))
            return nil
        case (let way?, _):
            report(
                line(of: "sign-in"),
                localized("“sign-in” of \(owner) must be password or token, not “\(way)”."))
            return nil
        }
        guard let address else {
            report(ownLine, localized("An “url” is missing in \(owner)."))
            return nil
        }
        guard let url = ClubSettings.address(address) else {
            report(line(of: "url"), localized("“url” of \(owner) is not a valid address."))
            return nil
        }
        var club = ClubSettings.WebDAV(
            url: url, signIn: signIn, authoritiesFile: file.flatMap { $0.isEmpty ? nil : $0 })
        if let pin {
            guard let key = ServerKey(pin) else {
                report(
                    line(of: "pin"),
                    localized("“pin” of \(owner) must be “sha256//” and a key's fingerprint.")
                )
                return nil
            }
            club.pin = key
        }
        if let refusal = ClubSettings.refusal(ofAddress: url, allowsPlain: signIn != .token) {
            report(line(of: "url"), refusal)
            return nil
        }
        if let refusal = ClubSettings.refusal(of: club) {
            let isUser =
                ClubSettings.refusal(of: ClubSettings.WebDAV(url: url, signIn: signIn)) != nil
            report(line(of: isUser ? "user" : "ca-file"), refusal)
            return nil
        }
        return .webdav(club)
    }

    fileprivate mutating func dropbox() -> ClubSettings.Place? {
        let key = text("app-key")
        let folder = text("folder")
        let address = text("api-url")
        guard let key, !key.isEmpty else {
            report(ownLine, localized("An “app-key” is missing in \(owner)."))
            return nil
        }
        var club = ClubSettings.Dropbox(
            appKey: key, folder: folder.flatMap { $0.isEmpty ? nil : $0 })
        if let address {
            guard let url = ClubSettings.address(address) else {
                report(
                    line(of: "api-url"), localized("“api-url” of \(owner) is not a valid address."))
                return nil
            }
            if let refusal = ClubSettings.refusal(ofAddress: url) {
                report(line(of: "api-url"), refusal)
                return nil
            }
            club.apiURL = url
        }
        if let refusal = ClubSettings.refusal(of: club) {
            let isKey = ClubSettings.refusal(of: ClubSettings.Dropbox(appKey: key)) != nil
            report(line(of: isKey ? "app-key" : "folder"), refusal)
            return nil
        }
        return .dropbox(club)
    }
}
