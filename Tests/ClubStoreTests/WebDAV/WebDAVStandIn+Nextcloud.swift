import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

extension WebDAVStandIn {
    /// What Nextcloud's apps keep of the files of a server.
    struct KeptFiles {
        /// What was replaced, with the number of the write.
        struct Version {
            var bytes: [UInt8]
            var version: Int
        }

        struct Deleted {
            var location: String
            var id: Int
            var bytes: [UInt8]
            var time: Int
            var version: Int
        }

        /// Each file's number, which stays the same when it is written or moved.
        var numbers: [String: Int] = [:]
        var lastNumber = 0
        /// The versions of a file, by its number, then by name.
        var versions: [Int: [String: Version]] = [:]
        /// The trash, by name.
        var trash: [String: Deleted] = [:]
    }

    /// The names in the trash.
    var trash: [String] { state.withLock { $0.kept.trash.keys.sorted() } }

    /// Removes what the apps keep, as an administrator or a shortage of space would.
    func forgetKeptFiles() {
        state.withLock { state in
            state.kept.versions = [:]
            state.kept.trash = [:]
        }
    }

    /// Deletes a file as another member would.
    func trash(_ path: String) {
        state.withLock { state in
            keepDeleted(manners.base + path, &state)
            state.nodes[manners.base + path] = nil
        }
    }

    func fileID(_ path: String, _ state: State) -> Int? {
        manners.apps.isEmpty ? nil : state.kept.numbers[path]
    }

    func keepVersion(of path: String, _ state: inout State) {
        guard manners.apps.contains(.versions), let id = state.kept.numbers[path],
            case .file(let bytes, let version) = state.nodes[path], !bytes.isEmpty
        else { return }
        state.kept.versions[id, default: [:]][String(1_600_000_000 + version)] =
            KeptFiles.Version(bytes: bytes, version: version)
    }

    func keepDeleted(_ path: String, _ state: inout State) {
        guard manners.apps.contains(.trash), let id = state.kept.numbers[path],
            case .file(let bytes, let version) = state.nodes[path]
        else { return }
        state.version += 1
        let time = 1_600_000_000 + state.version
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        state.kept.trash["\(name).d\(time)"] = KeptFiles.Deleted(
            location: String(path.dropFirst(files.count)), id: id, bytes: bytes, time: time,
            version: version)
    }

    /// The user's files: what the base begins with.
    private var files: String {
        manners.base.split(separator: "/").prefix { $0 != "ann" }.reduce("") { $0 + "/" + $1 }
            + "/ann/"
    }

    /// The answer of Nextcloud's apps; nil for what is not theirs.
    func nextcloudAnswer(
        _ path: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep]? {
        guard let dav = path.firstRange(of: "/remote.php/dav/") else { return nil }
        let names = path[dav.upperBound...].split(separator: "/").map(String.init)
        guard names.count >= 3, names[1] == "ann",
            let app = NextcloudApps.App(rawValue: names[0])
        else { return nil }
        guard manners.apps.contains(app) else { return [.answer("404 Not Found")] }
        return switch (app, names[2], names.count) {
        case (.versions, "versions", 3),
            (.trash, "trash", 3) where request["Depth"] == "0":
            .multistatus(response(path, .folder))
        case (.versions, "versions", 4): versions(path, names[3], state)
        case (.versions, "versions", 5) where request.method == "GET":
            content(state.kept.versions[Int(names[3]) ?? 0]?[names[4]]?.bytes)
        case (.trash, "trash", 3): trash(path, state)
        case (.trash, "trash", 4) where request.method == "GET":
            content(state.kept.trash[names[3]]?.bytes)
        case (.trash, "trash", 4) where request.method == "MOVE":
            restore(names[3], request, &state)
        default: [.answer("405 Method Not Allowed")]
        }
    }

    private func content(_ bytes: [UInt8]?) -> [LoopbackStep] {
        bytes.map { [.answer("200 OK", body: $0)] } ?? [.answer("404 Not Found")]
    }

    /// With the present state among them, as later servers do it.
    private func versions(_ path: String, _ id: String, _ state: State) -> [LoopbackStep] {
        guard let number = Int(id),
            let file = state.kept.numbers.first(where: { $0.value == number })?.key,
            case .file(let bytes, let version) = state.nodes[file]
        else { return [.answer("404 Not Found")] }
        var versions = state.kept.versions[number] ?? [:]
        versions[String(1_600_000_000 + version)] = .init(bytes: bytes, version: version)
        let lines = versions.sorted { $0.key < $1.key }.map { name, version in
            response(path + "/" + name, .file(bytes: version.bytes, version: version.version))
        }
        return .multistatus(response(path, .folder) + lines.joined())
    }

    private func trash(_ path: String, _ state: State) -> [LoopbackStep] {
        let lines = state.kept.trash.sorted { $0.key < $1.key }.map { name, file in
            """
            <d:response><d:href>\(href(path + "/" + name))</d:href><d:propstat><d:prop>\
            <d:resourcetype/><d:getcontentlength>\(file.bytes.count)</d:getcontentlength>\
            <o:fileid>\(file.id)</o:fileid>\
            <n:trashbin-original-location>\(Self.escape(file.location))</n:trashbin-original-location>\
            <n:trashbin-deletion-time>\(file.time)</n:trashbin-deletion-time></d:prop>\
            <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
            """
        }
        return .multistatus(response(path, .folder) + lines.joined())
    }

    private static func escape(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(
            of: "<", with: "&lt;")
    }

    /// As Nextcloud does it: where the folder is gone, at the top of the files; where the name is taken, under
    /// another one.
    private func restore(
        _ name: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep] {
        guard let deleted = state.kept.trash[name] else { return [.answer("404 Not Found")] }
        guard request["Destination"]?.contains("/trashbin/ann/restore/") == true else {
            return [.answer("403 Forbidden")]
        }
        guard request["Overwrite"] != "F" else { return [.answer("412 Precondition Failed")] }
        var path = files + deleted.location
        if state.nodes[Self.parent(path)] == nil {
            path = files + (deleted.location.split(separator: "/").last ?? "")
        }
        if state.nodes[path] != nil { path += " (restored)" }
        state.kept.trash[name] = nil
        state.version += 1
        state.nodes[path] = .file(bytes: deleted.bytes, version: state.version)
        state.kept.numbers[path] = deleted.id
        return [.answer("201 Created")]
    }
}

extension WebDAVStandIn.State {
    /// Gives each file that has none a number.
    mutating func numberFiles() {
        kept.numbers = kept.numbers.filter { nodes[$0.key] != nil }
        for path in nodes.keys.sorted() where kept.numbers[path] == nil {
            kept.lastNumber += 1
            kept.numbers[path] = kept.lastNumber
        }
    }
}
