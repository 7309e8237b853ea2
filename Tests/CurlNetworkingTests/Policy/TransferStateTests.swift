import Foundation
import Testing

@testable import CurlNetworking

@Suite struct TransferStateTests {
    typealias Name = TransferState.Name

    /// The engine checks each move in a debug build: every test of a transfer is a test of the table, too.
    @Test func theDiagramShowsTheMovesOfTheCode() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/HowATransferRuns.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        var drawn: [String: Set<String>] = [:]
        for line in lines {
            guard let match = line.wholeMatch(of: /\s+(\S+) --> ([a-zA-Z]+|\[\*\])(: .*)?/) else {
                continue
            }
            drawn[String(match.1), default: []].insert(String(match.2))
        }
        #expect(drawn["[*]"] == Set(Name.entries.map(\.rawValue)))
        #expect(drawn["finished"] == ["[*]"])
        for name in Name.allCases where name != .finished {
            // Every state may end with a failure, which the diagram leaves out.
            #expect(drawn[name.rawValue] == Set(name.exits.map(\.rawValue)), "\(name)")
        }
    }

    @Test func nothingFollowsTheEnd() {
        for name in Name.allCases where name != .finished {
            #expect(name.mayBecome(.finished))
            #expect(!Name.finished.mayBecome(name))
        }
    }

    @Test func noRequestIsOnTheWireBeforeItsBodyIsOpen() {
        for name in Name.allCases where name.mayBecome(.connecting) {
            #expect(
                [.openingBody, .readyToConnect, .awaitingConnection, .connecting, .exchanging]
                    .contains(name))
        }
    }
}
