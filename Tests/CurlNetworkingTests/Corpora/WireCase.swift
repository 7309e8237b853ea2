import CurlNetworking
import Foundation
import TestSupport
import Testing

/// Bytes that a server sends for an answer, and what a data task makes of them.
struct WireCase: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let outcome: Outcome

    enum Outcome: Equatable, Sendable {
        case taken(status: Int = 200, fields: [String: String?] = [:], body: String)
        /// The answer is not HTTP, or can be read in two ways.
        case refused
        /// The connection ended too early.
        case lost
        /// Either of them: versions of libcurl differ, and both say that there is no answer.
        case refusedOrLost
        /// The body is in a coding nobody asked for.
        case undecodable
    }

    init(_ name: String, _ text: String, _ outcome: Outcome) {
        self.init(name, Array(text.utf8), outcome)
    }

    init(_ name: String, _ bytes: [UInt8], _ outcome: Outcome) {
        self.name = name
        self.bytes = bytes
        self.outcome = outcome
    }

    var testDescription: String { name }

    /// Plays it over a connection of its own, which the server closes behind the bytes.
    func check(_ location: SourceLocation = #_sourceLocation) async throws {
        let server = try LoopbackServer(scripts: [[.readHead, .send(bytes), .close]])
        let session = makeSession { $0.timeoutIntervalForRequest = 20 }
        defer { session.invalidateAndCancel() }
        do {
            let (data, response) = try await session.data(from: server.url())
            let http = try #require(response as? HTTPURLResponse, sourceLocation: location)
            guard case .taken(let status, let fields, let body) = outcome else {
                Issue.record("taken: \(http) \(data.count) bytes", sourceLocation: location)
                return
            }
            #expect(http.statusCode == status, sourceLocation: location)
            #expect(String(decoding: data, as: UTF8.self) == body, sourceLocation: location)
            for (name, value) in fields {
                #expect(
                    http.value(forHTTPHeaderField: name) == value, "\(name)",
                    sourceLocation: location)
            }
        } catch let error as URLError {
            #expect(
                Self.codes(of: outcome).contains(error.code), "\(error)", sourceLocation: location)
        }
    }

    private static func codes(of outcome: Outcome) -> [URLError.Code] {
        switch outcome {
        case .taken: []
        case .refused: [.cannotParseResponse]
        case .lost: [.networkConnectionLost]
        case .refusedOrLost: [.cannotParseResponse, .networkConnectionLost]
        case .undecodable: [.cannotDecodeContentData]
        }
    }
}
