public import Foundation

/// Another member's client: plain HTTP, one connection per request, no state.
public struct PlainWebDAVClient: Sendable {
    /// The club's folder.
    private let base: String
    private let host: String
    private let port: UInt16

    public struct Answer: Sendable {
        public let status: Int
        public let tag: String?
        public let text: String
    }

    public init(_ club: URL) {
        base = club.path(percentEncoded: true).trimmingCharacters(in: ["/"])
        host = club.host ?? "127.0.0.1"
        port = UInt16(club.port ?? 80)
    }

    /// The file with its tag; a 404 if there is none.
    public func get(_ file: String) async throws -> Answer {
        try await send("GET", file)
    }

    /// Writes a text; with a tag, only if the file still has it.
    ///
    /// - Returns: The status.
    @discardableResult
    public func put(
        _ text: String, at file: String, ifMatch tag: String? = nil
    ) async throws -> Int {
        try await send("PUT", file, tag.map { ["If-Match: \($0)"] } ?? [], body: text).status
    }

    @discardableResult
    public func delete(_ file: String) async throws -> Int {
        try await send("DELETE", file).status
    }

    private func send(
        _ method: String, _ file: String, _ fields: [String] = [], body: String? = nil
    ) async throws -> Answer {
        let escaped = file.split(separator: "/").map {
            $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        let target = "/" + ([base] + escaped).joined(separator: "/")
        let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: \(host):\(port)"]
            + fields + length + ["Connection: close", "", ""]
        let answer = try await LoopbackClient.send(
            lines.joined(separator: "\r\n") + (body ?? ""), toPort: port)
        guard let end = answer.range(of: "\r\n\r\n") else { throw URLError(.badServerResponse) }
        let head = answer[..<end.lowerBound].components(separatedBy: "\r\n")
        let status = head[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
        let tag = head.first { $0.lowercased().hasPrefix("etag:") }?.dropFirst(5)
        return Answer(
            status: status ?? 0, tag: tag.map { $0.trimmingCharacters(in: .whitespaces) },
            text: String(answer[end.upperBound...]))
    }
}
