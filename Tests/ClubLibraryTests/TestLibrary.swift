import ClubStore
import Foundation

@testable import ClubLibrary

/// A local copy in a folder of its own.
final class TestLibrary {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("library-\(UUID().uuidString)", isDirectory: true)
    private(set) lazy var copy = LocalCopy(folder: folder)

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// As after the next start of the program.
    func reopened() -> LocalCopy { LocalCopy(folder: folder) }

    var database: URL { folder.appendingPathComponent("library.sqlite") }
}

func makePath(_ string: String) throws -> RemotePath { try RemotePath(validating: string) }

func makeFile(
    _ path: String, _ text: String = "text", revision: String = "r1", hash: String? = nil
) throws -> RemoteFile {
    RemoteFile(
        path: try makePath(path), revision: Revision(rawValue: revision),
        byteCount: Int64(text.utf8.count), modified: Date(timeIntervalSince1970: 1_700_000_000),
        contentHash: hash)
}

func makeListing(_ files: [RemoteFile], cursor: String = "c1") -> Listing {
    Listing(entries: files.map(RemoteEntry.file), cursor: Cursor(rawValue: cursor))
}

extension LocalCopy {
    func keep(_ text: String, of file: RemoteFile) throws {
        try keep([(file, Data(text.utf8))])
    }

    func string(of file: RemoteFile) throws -> String? {
        try text(of: file).map { String(decoding: $0.data, as: UTF8.self) }
    }
}
