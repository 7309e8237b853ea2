import Foundation

/// A folder for the length of a test, with a few files that are no pictures.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-pictures-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The names of what is in the folder.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    func add(_ data: Data, named name: String) throws -> URL {
        let file = url.appending(path: name)
        try data.write(to: file)
        return file
    }
}
