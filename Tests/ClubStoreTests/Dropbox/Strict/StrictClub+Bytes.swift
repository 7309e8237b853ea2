import Foundation

@testable import TestSupport

extension StrictClub {
    static func hash(_ bytes: [UInt8]) -> String {
        let blocks = stride(from: 0, to: bytes.count, by: 4 << 20).flatMap { start in
            PlainSHA256.hash(of: Array(bytes[start..<min(start + 4 << 20, bytes.count)]))
        }
        return PlainSHA256.hash(of: blocks).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    func check(_ body: [UInt8], _ argument: Argument) throws {
        guard let hash = argument["content_hash"] as? String else { return }
        guard hash == Self.hash(body) else { throw Refusal("content_hash_mismatch") }
    }

    func download(
        _ argument: Argument, _ request: LoopbackRequest
    ) throws -> [LoopbackStep] {
        let node = try find(argument["path"], "path")
        guard let file = node.file else { throw Refusal("path", "not_file") }
        var facts = metadata(node)
        facts[".tag"] = nil
        var fields = [
            "Content-Type: application/octet-stream", "Dropbox-API-Result: \(Self.header(facts))",
        ]
        guard let range = request["Range"] else {
            return [.answer("200 OK", fields, body: file.bytes)]
        }
        guard let start = Int(range.dropFirst("bytes=".count).dropLast()), start < file.bytes.count
        else { return [.answer("416 Range Not Satisfiable")] }
        fields.append(
            "Content-Range: bytes \(start)-\(file.bytes.count - 1)/\(file.bytes.count)")
        return [.answer("206 Partial Content", fields, body: Array(file.bytes[start...]))]
    }

    /// Writes a file according to its commit.
    mutating func commit(
        _ bytes: [UInt8], _ commit: Argument, refuse: ([String: Any]) -> Refusal
    ) throws -> [String: Any] {
        let path = commit["path"] as? String ?? ""
        if let reason = prepare(path) { throw refuse(reason) }
        var facts: [String: Any] = [:]
        if let there = nodes[path.lowercased()] {
            guard let old = there.file else { throw refuse(Self.conflict(with: there)) }
            let isSame = old.bytes == bytes && commit["strict_conflict"] as? Bool != true
            let mode = commit["mode"] as? [String: Any]
            let isMeant =
                switch commit["mode"] as? String ?? mode?[".tag"] as? String ?? "add" {
                case "overwrite": true
                case "update": mode?["update"] as? String == old.revision
                default: false
                }
            guard isSame || isMeant else { throw refuse(Self.conflict(with: there)) }
            if isSame {
                facts = metadata(there)
                facts[".tag"] = nil
                return facts
            }
        }
        count += 1
        let revision = String(0x1_0000_0000 + count, radix: 16)
        let old = nodes[path.lowercased()]
        put(
            Node(
                path: old?.path ?? path,
                file: File(
                    bytes: bytes, revision: revision,
                    modified: commit["client_modified"] as? String ?? "2026-11-22T06:00:00Z"),
                id: old?.id ?? ""))
        facts = nodes[path.lowercased()].map(metadata) ?? [:]
        facts[".tag"] = nil
        return facts
    }

    @discardableResult
    mutating func append(
        _ bytes: [UInt8], _ argument: Argument, refuse: ([String: Any]) -> Refusal
    ) throws -> String {
        try check(bytes, argument)
        let cursor = argument["cursor"] as? Argument ?? [:]
        let name = cursor["session_id"] as? String ?? ""
        guard let held = sessions[name] else { throw refuse([".tag": "not_found"]) }
        guard held.count == cursor["offset"] as? Int else {
            throw refuse([".tag": "incorrect_offset", "correct_offset": held.count])
        }
        sessions[name] = held + bytes
        return name
    }
}

// MARK: - Pictures

extension StrictClub {
    func picture(_ path: Any?) throws -> (Node, [UInt8]) {
        let node = try find(path, "path")
        guard let file = node.file else { throw Refusal("path", "not_file") }
        let ending = node.path.lowercased().split(separator: ".").last ?? ""
        guard ["jpg", "jpeg", "png", "tiff", "tif", "gif", "webp", "ppm", "bmp"].contains(ending)
        else { throw Refusal("unsupported_extension") }
        guard file.bytes.starts(with: [0xFF, 0xD8]) else { throw Refusal("unsupported_image") }
        return (node, file.bytes)
    }

    func thumbnail(_ argument: Argument) throws -> [LoopbackStep] {
        let resource = argument["resource"] as? Argument
        let (node, bytes) = try picture(resource?["path"])
        return [
            .answer(
                "200 OK",
                [
                    "Content-Type: image/jpeg",
                    "Dropbox-API-Result: \(Self.header(["file_metadata": metadata(node)]))",
                ], body: bytes)
        ]
    }

    func thumbnails(_ argument: Argument) -> [LoopbackStep] {
        let entries = (argument["entries"] as? [Argument] ?? []).map { entry -> [String: Any] in
            do {
                let (node, bytes) = try picture(entry["path"])
                return [
                    ".tag": "success", "metadata": metadata(node),
                    "thumbnail": Data(bytes).base64EncodedString(),
                ]
            } catch {
                return [".tag": "failure", "failure": (error as? Refusal)?.error ?? [:]]
            }
        }
        return .json(object: ["entries": entries])
    }

    func search(_ argument: Argument) throws -> [LoopbackStep] {
        let options = argument["options"] as? Argument ?? [:]
        let folder = try key(options["path"], "path")
        guard folder.isEmpty || nodes[folder] != nil else { throw Refusal("path", "not_found") }
        let needle = (argument["query"] as? String ?? "").lowercased()
        let found = nodes.filter { key, _ in
            key.hasPrefix(folder + "/")
                && key.split(separator: "/").last?.contains(needle) == true
        }
        let matches = found.values.sorted { $0.path < $1.path }.map { node in
            [
                "match_type": [".tag": "filename"],
                "metadata": [".tag": "metadata", "metadata": metadata(node)],
            ]
        }
        return .json(object: ["matches": matches, "has_more": false])
    }
}
