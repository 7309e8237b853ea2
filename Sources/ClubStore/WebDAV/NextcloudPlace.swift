/// The addresses of a Nextcloud (or ownCloud) server, derived from the address of its
/// files.
///
/// Source: <https://docs.nextcloud.com/server/latest/developer_manual/client_apis/WebDAV/>.
struct NextcloudPlace: Hashable, Sendable {
    /// The path components above `remote.php`.
    private let prefix: [String]
    private let user: String

    /// The names of the club's folder, from the top of the user's files down.
    let folder: [String]

    /// Nil for an address that is not below `remote.php`, or when the user is unknown.
    init?(_ address: WebDAVAddress, user: String?) {
        let names = address.baseComponents
        guard let index = names.firstIndex(of: "remote.php") else { return nil }
        let rest = names[(index + 1)...]
        if rest.starts(with: ["dav", "files"]), rest.count >= 3 {
            self.user = names[index + 3]
            folder = Array(rest.dropFirst(3))
        } else if rest.first == "webdav", let user {
            self.user = user
            folder = Array(rest.dropFirst())
        } else {
            return nil
        }
        prefix = Array(names[..<index])
    }

    /// Properties that only Nextcloud has: other servers would report them missing for each
    /// entry.
    ///
    /// The size of a photo in pixels is in the last one up to version 27, and in the one before from 28 on.
    static let properties =
        "<oc:fileid/><nc:has-preview/><nc:metadata-photos-size/><nc:file-metadata-size/>"

    /// The folder of one chunked upload.
    func uploadFolder(_ name: String) -> [String] {
        prefix + ["remote.php", "dav", "uploads", user, name]
    }

    /// The folder of an app: of the versions of all files, or of what was deleted.
    func folder(of app: NextcloudApps.App) -> [String] {
        prefix + ["remote.php", "dav", app.rawValue, user]
            + [app == .versions ? "versions" : "trash"]
    }

    /// The versions of one file.
    func versions(ofFile fileID: String) -> [String] { folder(of: .versions) + [fileID] }

    /// Where a `MOVE` brings back what was deleted. The name says nothing: the server knows where it was.
    func restoration(of name: String) -> [String] {
        folder(of: .trash).dropLast() + ["restore", name]
    }

    /// The path and query of a preview, without the origin.
    func previewTarget(fileID: String, width: Int, height: Int) -> String {
        let place = (prefix + ["index.php", "core", "preview"])
            .map { "/" + PercentCoding.encode($0) }.joined()
        return place + "?fileId=\(PercentCoding.encode(fileID))&x=\(width)&y=\(height)"
            + "&a=1&forceIcon=0&mode=fill"
    }
}
