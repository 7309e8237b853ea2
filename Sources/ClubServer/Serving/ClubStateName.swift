import DropboxAPI
import Glibc

/// The name of a club's files in the state folder, which clubs share.
struct ClubStateName: Sendable {
    let text: String

    var journal: String { text + ".journal" }
    var revisions: String { text + ".revisions" }

    private init(path: String) {
        let digest = sha256(of: Array(path.utf8)).prefix(4)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        text = "club-\(digest)"
    }

    /// The name by the folder's real path: one club may be served by two. Files of earlier versions, which have the
    /// path as it was given, are renamed.
    static func adopting(folder: String, in stateFolder: String) -> ClubStateName {
        let name = ClubStateName(path: RuntimePaths.realPath(of: folder))
        let typed = ClubStateName(path: folder)
        guard typed.text != name.text else { return name }
        for suffix in [".journal", ".revisions", ".revisions.log"] {
            let new = "\(stateFolder)/\(name.text)\(suffix)"
            guard access(new, F_OK) != 0 else { continue }
            rename("\(stateFolder)/\(typed.text)\(suffix)", new)
        }
        return name
    }
}
