import DropboxAPI
import Glibc

extension ClubAPI {
    func addAccountRoutes(to router: inout Router) {
        router.on(Routes.getCurrentAccount) { _, _ in account }
        router.on(Routes.checkUser) { argument, _ in EchoResult(result: argument.query) }
        // SDKs call it when they sign out. The token is that of all programs, and lasts as long as the server runs.
        router.on(Routes.revokeToken) { _, _ in NoValue() }
        router.on(Routes.getSpaceUsage) { _, _ in try await spaceUsage() }
    }

    /// The space that the club's files use, of that plus the free space on the disk.
    private func spaceUsage() async throws -> SpaceUsage {
        let used = await club.usedByteCount
        var status = statvfs()
        try SystemError.check("statvfs", fstatvfs(club.access.root.number, &status))
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        return SpaceUsage(used: used, allocation: .individual(allocated: used + free))
    }
}

extension ClubFolder {
    var usedByteCount: UInt64 {
        index.entries.values.reduce(0) { $0 + UInt64(max(0, $1.facts?.signature.size ?? 0)) }
    }

    /// Of a file, or of all files in a folder.
    func byteCount(of entry: Entry) -> Int64 {
        let entries = entry.isFolder ? index.descendants(of: entry.key) : [entry]
        return entries.reduce(0) { $0 + max(0, $1.facts?.signature.size ?? 0) }
    }
}

extension FullAccount {
    /// The member who runs the server, with the system's name for them.
    static func ofThisUser() -> FullAccount {
        let user = getpwuid(getuid())
        let login = user.map { String(cString: $0.pointee.pw_name) } ?? "member"
        let gecos = user.flatMap { $0.pointee.pw_gecos.map { String(cString: $0) } } ?? ""
        let fullName =
            gecos.split(separator: ",", omittingEmptySubsequences: false).first
            .map(String.init) ?? ""
        let display = fullName.isEmpty ? login : fullName
        let words = display.split(separator: " ")
        // 40 characters, as in the API: "dbid:" and 35.
        let digest = sha256(of: Array("byteclub \(getuid()) \(login)".utf8))
        let id = "dbid:" + Base64URL.encode(digest).prefix(35)
        return FullAccount(
            accountID: id,
            name: Name(
                givenName: words.first.map(String.init) ?? display,
                surname: words.dropFirst().joined(separator: " "),
                familiarName: words.first.map(String.init) ?? display, displayName: display,
                abbreviatedName: words.compactMap(\.first).prefix(2).map(String.init).joined()),
            email: "\(login)@localhost",
            rootInfo: RootInfo(
                rootNamespaceID: ClubFolder.namespace, homeNamespaceID: ClubFolder.namespace))
    }
}
