import Foundation

/// A folder for one test, gone with the last reference to it.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "CurlNetworkingTests-" + UUID().uuidString)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var path: String { url.path(percentEncoded: false) }

    func path(of name: String) -> String { path + "/" + name }

    func url(of name: String) -> URL { URL(filePath: path(of: name)) }

    @discardableResult
    func put(_ data: Data, _ name: String = "file", mode: Int = 0o600) throws -> URL {
        guard
            FileManager.default.createFile(
                atPath: path(of: name), contents: data, attributes: [.posixPermissions: mode])
        else { throw CocoaError(.fileWriteUnknown) }
        return url(of: name)
    }

    func get(_ name: String) -> Data? { FileManager.default.contents(atPath: path(of: name)) }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(of: name), withDestinationPath: target)
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
