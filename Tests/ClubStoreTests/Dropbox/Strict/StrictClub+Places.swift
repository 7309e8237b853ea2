import Foundation

@testable import TestSupport

extension StrictClub {
    mutating func makeFolder(_ argument: Argument) throws -> [LoopbackStep] {
        let path = argument["path"] as? String ?? ""
        let there = nodes[path.lowercased()]
        if let reason = there.map(Self.conflict) ?? prepare(path) {
            throw Refusal(object: [".tag": "path", "path": reason])
        }
        put(Node(path: path, file: nil, id: ""))
        var facts = nodes[path.lowercased()].map(metadata) ?? [:]
        facts[".tag"] = nil
        return .json(object: ["metadata": facts])
    }

    mutating func delete(_ argument: Argument) throws -> [LoopbackStep] {
        let node = try find(argument["path"], "path_lookup")
        if let revision = argument["parent_rev"] as? String, node.file?.revision != revision {
            throw Refusal(
                object: [".tag": "path_write", "path_write": Self.conflict(with: node)])
        }
        remove(node.path.lowercased())
        return .json(object: ["metadata": metadata(node)])
    }

    mutating func move(_ argument: Argument) throws -> [LoopbackStep] {
        let node = try find(argument["from_path"], "from_lookup")
        let target = argument["to_path"] as? String ?? ""
        let old = node.path.lowercased()
        if target.lowercased() == old { throw Refusal("duplicated_or_nested_paths") }
        if target.lowercased().hasPrefix(old + "/") {
            throw Refusal("cant_move_folder_into_itself")
        }
        let there = nodes[target.lowercased()]
        if let reason = there.map(Self.conflict) ?? prepare(target) {
            throw Refusal(object: [".tag": "to", "to": reason])
        }
        let moved = nodes.filter { $0.key == old || $0.key.hasPrefix(old + "/") }
        remove(old)
        for (_, var part) in moved.sorted(by: { $0.key < $1.key }) {
            part.path = target + part.path.dropFirst(node.path.count)
            put(part)
        }
        return .json(object: ["metadata": nodes[target.lowercased()].map(metadata) ?? [:]])
    }
}
