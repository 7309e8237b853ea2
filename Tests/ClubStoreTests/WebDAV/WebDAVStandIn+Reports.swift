import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

extension WebDAVStandIn.State {
    /// Its sync token, as a property.
    var token: String {
        countsChanges ? "<d:sync-token>urn:t?a&amp;\(count)</d:sync-token>" : ""
    }

    private var count: Int { changes.forgotten + changes.paths.count }

    mutating func noteChanges(from old: [String: WebDAVStandIn.Node]) {
        let gone = old.keys.filter { nodes[$0] == nil }.sorted()
        let new = nodes.keys.filter { old[$0] != nodes[$0] }.sorted()
        changes.paths += gone + new
    }

    /// The changes since a token; nil when it has expired.
    func changes(since count: Int) -> ArraySlice<String>? {
        guard (changes.forgotten...self.count).contains(count) else { return nil }
        return changes.paths[(count - changes.forgotten)...]
    }
}

extension WebDAVStandIn {
    /// Reports changes (RFC 6578, 3).
    func report(
        _ path: String, _ request: LoopbackRequest, _ state: State
    ) -> [LoopbackStep] {
        let text = request.text
        let isDeep = text.contains("<D:sync-level>infinite</D:sync-level>")
        guard !isDeep || manners.reportsDeep else {
            return [.answer("400 Bad Request", body: "sync level 'infinite' unsupported")]
        }
        guard request["Depth"] == "0",
            let since = text.firstMatch(of: /<D:sync-token>urn:t\?a&amp;(\d+)</)
                .flatMap({ Int($0.output.1) }),
            let changed = state.changes(since: since)
        else {
            return [
                .answer(manners.refusalOfToken, body: "<e:error><e:valid-sync-token/></e:error>")
            ]
        }
        let reported = changed.prefix(manners.reports ?? .max)
        var lines: [String] = []
        for changed in Set(reported).sorted() where changed.hasPrefix(path + "/") {
            guard isDeep || Self.parent(changed) == path else { continue }
            if let node = state.nodes[changed] {
                lines.append(response(changed, node))
            } else {
                lines.append(Self.status("404 Not Found", of: href(changed)))
            }
        }
        if reported.count < changed.count {
            lines.append(Self.status("507 Insufficient Storage", of: href(path) + "/"))
        }
        lines.append("<d:sync-token>urn:t?a&amp;\(since + reported.count)</d:sync-token>")
        return .multistatus(lines.joined())
    }

    private static func status(_ status: String, of href: String) -> String {
        "<d:response><d:href>\(href)</d:href><d:status>HTTP/1.1 \(status)</d:status></d:response>"
    }
}
