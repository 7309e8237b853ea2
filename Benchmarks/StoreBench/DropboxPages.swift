import ClubStore
import DropboxAPI
import Foundation
import TestSupport

/// A club of one folder on a server that speaks the Dropbox API, and nothing else: what is not in the
/// documentation is refused with 400, as Dropbox does.
struct DropboxPages: LargeClub {
    private let server: LoopbackServer

    var requestCount: Int { server.requests.count }

    init(entryCount: Int) throws {
        let pages = try stride(from: 0, to: entryCount, by: 2000).map { start in
            let end = min(start + 2000, entryCount)
            let entries = (start..<end).map { Metadata.file(Self.file($0)) }
            let page = ListFolderResult(
                entries: entries, cursor: "cursor-\(end)", hasMore: end < entryCount)
            return [UInt8](try WireJSON.encode(page))
        }
        server = try LoopbackServer { request in
            guard let index = Self.page(request), pages.indices.contains(index) else {
                return [.answer("400 Bad Request", ["Content-Type: text/plain"], body: "no")]
            }
            return [.answer("200 OK", ["Content-Type: application/json"], body: pages[index])]
        }
    }

    func makeStore() -> any RemoteStore {
        DropboxStore(
            DropboxStore.Configuration(hosts: DropboxStore.Hosts(all: server.url(""))),
            access: FixedToken("token"))
    }

    /// Which page a request may have.
    private static func page(_ request: LoopbackRequest) -> Int? {
        guard request.method == "POST", request["Authorization"] == "Bearer token",
            request["Content-Type"] == "application/json", request["Expect"] == nil
        else { return nil }
        let body = Data(request.body)
        switch request.target {
        case Routes.listFolder.path:
            guard let argument = try? WireJSON.decodeArgument(ListFolderArg.self, from: body),
                argument.path.isEmpty
            else { return nil }
            return 0
        case Routes.listFolderContinue.path:
            return (try? WireJSON.decodeArgument(ListFolderContinueArg.self, from: body))
                .flatMap { Int($0.cursor.dropFirst("cursor-".count)) }.map { $0 / 2000 }
        default:
            return nil
        }
    }

    private static func file(_ number: Int) -> FileMetadata {
        let name = "Minutes of meeting \(number), Zürich.txt"
        return FileMetadata(
            name: name, pathLower: "/" + name.lowercased(), pathDisplay: "/" + name,
            id: "id:a4ayc_80_OEAAAAAAA\(number)",
            clientModified: Timestamp(secondsSince1970: 1_600_000_000 + Int64(number)),
            serverModified: Timestamp(secondsSince1970: 1_600_000_001 + Int64(number)),
            revision: "a1c10ce0dd78\(number)", size: UInt64(number),
            contentHash: ContentHash(of: Data(name.utf8)))
    }
}
