import Foundation

@testable import TestSupport

extension StrictClub {
    struct Cursor: Codable {
        var folder: String
        var isRecursive: Bool
        /// The last listed name; nil at the end of the listing.
        var last: String?
        /// How many changes were returned.
        var seen: Int

        var text: String {
            (try? JSONEncoder().encode(self))?.base64EncodedString() ?? ""
        }

        init(folder: String, isRecursive: Bool, seen: Int) {
            (self.folder, self.isRecursive, self.seen) = (folder, isRecursive, seen)
            last = ""
        }

        init?(_ text: Any?) {
            guard let data = Data(base64Encoded: text as? String ?? ""),
                let cursor = try? JSONDecoder().decode(Cursor.self, from: data)
            else { return nil }
            self = cursor
        }

        func covers(_ key: String) -> Bool {
            isRecursive
                ? key.hasPrefix(folder + "/") || (key == folder && !folder.isEmpty)
                : StrictClub.parent(key) == folder
        }
    }

    func list(_ argument: Argument) throws -> [LoopbackStep] {
        let path = argument["path"] as? String ?? ""
        if path == "/" { throw StrictViolation("Specify the root folder as an empty string") }
        if !path.isEmpty {
            guard try find(path, "path").file == nil else { throw Refusal("path", "not_folder") }
        }
        return page(
            after: Cursor(
                folder: path.lowercased(), isRecursive: argument["recursive"] as? Bool ?? false,
                seen: changes.count))
    }

    mutating func proceed(_ argument: Argument) throws -> [LoopbackStep] {
        guard let cursor = Cursor(argument["cursor"]) else {
            return Self.invalidCursor("files/list_folder/continue")
        }
        guard cursor.folder.isEmpty || nodes[cursor.folder] != nil else {
            throw Refusal("path", "not_found")
        }
        return page(after: cursor)
    }

    static func invalidCursor(_ route: String) -> [LoopbackStep] {
        [
            .answer(
                "400 Bad Request", ["Content-Type: text/plain"],
                body: "Error in call to API function \"\(route)\": Invalid \"cursor\" parameter.")
        ]
    }

    func page(after cursor: Cursor) -> [LoopbackStep] {
        var cursor = cursor
        var keys: [String]
        let hasMore: Bool
        if let last = cursor.last {
            keys = nodes.keys.filter { cursor.covers($0) && $0 > last }.sorted()
            cursor.last = keys.count > Self.entriesPerPage ? keys[Self.entriesPerPage - 1] : nil
            keys = Array(keys.prefix(Self.entriesPerPage))
            hasMore = cursor.last != nil
        } else {
            let new = (cursor.seen..<changes.count).filter { cursor.covers(changes[$0]) }
            keys = new.prefix(Self.entriesPerPage).map { changes[$0] }
            hasMore = new.count > keys.count
            cursor.seen = hasMore ? new[keys.count] : changes.count
        }
        let entries = keys.map { key in
            nodes[key].map(metadata)
                ?? [
                    ".tag": "deleted",
                    "name": key.split(separator: "/").last.map(String.init) ?? "",
                    "path_lower": key, "path_display": key,
                ]
        }
        return .json(object: ["entries": entries, "cursor": cursor.text, "has_more": hasMore])
    }

    mutating func wait(_ argument: Argument) throws -> [LoopbackStep] {
        guard let cursor = Cursor(argument["cursor"]) else {
            return Self.invalidCursor("files/list_folder/longpoll")
        }
        let news: [LoopbackStep] = .json(object: ["changes": true, "from_the_future": 1])
        if changes.count > cursor.seen { return news }
        let gate = LoopbackGate()
        waiting.append(gate)
        return [.wait(gate)] + news
    }
}
