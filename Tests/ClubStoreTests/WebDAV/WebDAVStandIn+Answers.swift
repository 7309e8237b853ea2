import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

extension WebDAVStandIn {
    func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
        let intrusion = state.withLock { $0.intrusions.removeValue(forKey: requests.count - 1) }
        intrusion?(self)
        let path = Self.path(request.target)
        return state.withLock { state in
            if let answer = nextcloudAnswer(path, request, &state) { return answer }
            return switch request.method {
            case "PROPFIND": propfind(path, request, &state)
            case "REPORT" where manners.reports != nil: report(path, request, state)
            case "GET": get(path, request, &state)
            case "HEAD": head(path, state)
            case "PUT": put(path, request, &state)
            case "MKCOL": makeFolder(path, &state)
            case "DELETE": delete(path, request, &state)
            case "MOVE" where manners.knowsMove: move(path, request, &state)
            default: [.answer("405 Method Not Allowed")]
            }
        }
    }

    private static func path(_ target: String) -> String {
        let path = target.prefix { $0 != "?" }.removingPercentEncoding ?? ""
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    static func parent(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    private func tag(_ version: Int, _ count: Int) -> String? {
        switch manners.tags {
        case .strong: "\"v\(version)\""
        case .weak: "W/\"v\(version)\""
        case .unquoted: "v\(version)"
        case .coarse: "\"\(1_600_000_000)-\(count)\""
        case .microseconds(let tick): "\"\(Self.time(version, tick))-\(count)\""
        case .none: nil
        }
    }

    /// In microseconds, hexadecimal; a tick is 4 ms.
    private static func time(_ version: Int, _ tick: Int) -> String {
        String(1_600_000_000_000_000 + 4_000 * min(version, tick), radix: 16)
    }

    func modified(_ version: Int) -> String {
        if let modified = manners.modified { return modified }
        let isWithinASecond =
            switch manners.tags {
            case .coarse, .microseconds: true
            default: false
            }
        let seconds = 1_600_000_000 + (isWithinASecond ? 0 : version)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    /// Whether the conditions of a request hold.
    private func allows(_ request: LoopbackRequest, _ node: Node?) -> Bool {
        guard manners.honorsConditions else { return true }
        var current: String?
        if case .file(let bytes, let version) = node { current = tag(version, bytes.count) }
        if request["If-None-Match"] == "*", node != nil { return false }
        if let wanted = request["If-Match"] {
            if manners.refusesIfMatch { return false }
            let quoted = current.map { $0.hasSuffix("\"") ? $0 : "\"\($0)\"" }
            guard wanted == quoted else { return false }
        }
        if manners.refusesIf, request["If"]?.contains("([") == true { return false }
        if manners.honorsIf, let wanted = request["If"] {
            let bare = (current ?? "none").replacingOccurrences(of: "W/", with: "")
            guard wanted.contains("([\(bare)])") else { return false }
        }
        return true
    }

    private func propfind(
        _ path: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep] {
        guard let node = state.nodes[path] else { return [.answer("404 Not Found")] }
        guard request["Depth"] == "0" || request["Depth"] == "1" else {
            return [.answer("403 Forbidden")]
        }
        var lines = [
            response(path, node, id: fileID(path, state), more: state.token + folderTag(state))
        ]
        if request["Depth"] == "1", case .folder = node {
            for (other, node) in state.nodes.sorted(by: { $0.key < $1.key })
            where Self.parent(other) == path
                && (manners.listsHiddenNames || !other.dropFirst(path.count + 1).hasPrefix("."))
            {
                lines.append(response(other, node, id: fileID(other, state)))
            }
        }
        if request["Depth"] == "1" {
            for href in state.unnameable where Self.parent(href) == path {
                lines.append(
                    "<d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:resourcetype/>"
                        + "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>")
            }
        }
        return .multistatus(lines.joined(), date: manners.date)
    }

    func response(
        _ path: String, _ node: Node, id: Int? = nil, more: String = ""
    ) -> String {
        let href = href(path)
        switch node {
        case .folder:
            return """
                <d:response><d:href>\(href)/</d:href><d:propstat><d:prop>\
                <d:resourcetype><d:collection/></d:resourcetype>\(more)</d:prop>\
                <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
                """
        case .file(let bytes, let version):
            let tag = tag(version, bytes.count).map { "<d:getetag>\($0)</d:getetag>" } ?? ""
            let length =
                manners.tellsLengths
                ? "<d:getcontentlength>\(bytes.count)</d:getcontentlength>" : ""
            return """
                <d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:resourcetype/>\
                \(length)\(tag)\
                <d:getlastmodified>\(modified(version))</d:getlastmodified>\
                <o:fileid>\(id ?? version)</o:fileid><n:has-preview>true</n:has-preview>\(manners.properties)</d:prop>\
                <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
                """
        }
    }

    /// Nextcloud changes a folder's tag with each change below it.
    private func folderTag(_ state: State) -> String {
        manners.base.contains("/remote.php/")
            ? "<d:getetag>\"f\(state.version)\"</d:getetag>" : ""
    }

    func href(_ path: String) -> String {
        var escaped = path.split(separator: "/").map { PercentCoding.encode(String($0)) }
            .joined(separator: "/")
        if manners.lowercaseEscapes {
            escaped = escaped.replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
                .replacingOccurrences(of: "%2b", with: "+")
        }
        return manners.hrefOrigin + manners.hrefPrefix + "/" + escaped
    }

    private func get(
        _ path: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep] {
        guard case .file(let bytes, let version) = state.nodes[path] else {
            return [.answer("404 Not Found")]
        }
        var fields = ["Last-Modified: \(modified(version))"]
        if let tag = tag(version, bytes.count) {
            fields.append("ETag: " + (tag.hasSuffix("\"") ? tag : "\"\(tag)\""))
        }
        if let range = request["Range"]?.dropFirst("bytes=".count).split(separator: "-"),
            let start = range.first.flatMap({ Int($0) }), start < bytes.count,
            request["If-Range"].map({ $0 == tag(version, bytes.count) }) ?? true
        {
            let last = min(range.dropFirst().first.flatMap { Int($0) } ?? .max, bytes.count - 1)
            fields.append("Content-Range: bytes \(start)-\(last)/\(bytes.count)")
            return [.answer("206 Partial Content", fields, body: Array(bytes[start...last]))]
        }
        return [.answer("200 OK", fields, body: bytes)]
    }

    private func head(_ path: String, _ state: State) -> [LoopbackStep] {
        guard case .file(let bytes, _) = state.nodes[path] else {
            return [.answer("404 Not Found")]
        }
        return [.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")]
    }

    private func put(
        _ path: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep] {
        guard case .folder = state.nodes[Self.parent(path)] else {
            return [.answer("409 Conflict")]
        }
        if case .folder = state.nodes[path] { return [.answer("405 Method Not Allowed")] }
        guard allows(request, state.nodes[path]) else {
            return [.answer("412 Precondition Failed")]
        }
        let status = state.nodes[path] == nil ? "201 Created" : "204 No Content"
        if request["Content-Range"] != nil, manners.ranges == .refused {
            return [.answer("501 Not Implemented")]
        }
        state.version += 1
        var body = manners.storing(request.body)
        var steps: [LoopbackStep]?
        if !state.brokenPuts.isEmpty, let outcome = state.brokenPuts.removeFirst()?.outcome {
            body = Array(body.prefix(outcome.byteCount))
            steps = outcome.steps
        }
        if manners.ranges == .placed, let start = Self.start(ofRangeIn: request),
            case .file(let old, _) = state.nodes[path]
        {
            let zeros = [UInt8](repeating: 0, count: max(0, start - old.count))
            body = old.prefix(start) + zeros + body + old.dropFirst(start + body.count)
        }
        keepVersion(of: path, &state)
        state.nodes[path] = .file(bytes: body, version: state.version)
        if let steps { return steps }
        let tag = manners.tellsTagOfPut ? tag(state.version, request.body.count) : nil
        return [.answer(status, tag.map { ["ETag: \($0)"] } ?? [])]
    }

    /// The offset of a `PUT` with a range: `bytes 5-8/9`.
    private static func start(ofRangeIn request: LoopbackRequest) -> Int? {
        request["Content-Range"].flatMap { Int($0.dropFirst("bytes ".count).prefix { $0 != "-" }) }
    }

    private func makeFolder(_ path: String, _ state: inout State) -> [LoopbackStep] {
        guard state.nodes[path] == nil else { return [.answer("405 Method Not Allowed")] }
        let parent = Self.parent(path)
        guard parent.contains("/remote.php/dav/uploads/") || state.nodes[parent] != nil else {
            return [.answer("409 Conflict")]
        }
        state.nodes[path] = .folder
        return [.answer("201 Created")]
    }

    private func delete(
        _ path: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep] {
        guard let node = state.nodes[path] else { return [.answer("404 Not Found")] }
        guard allows(request, node) else { return [.answer("412 Precondition Failed")] }
        keepDeleted(path, &state)
        for other in state.nodes.keys where other == path || other.hasPrefix(path + "/") {
            state.nodes[other] = nil
        }
        return [.answer("204 No Content")]
    }

    private func move(
        _ path: String, _ request: LoopbackRequest, _ state: inout State
    ) -> [LoopbackStep] {
        guard let url = request["Destination"].flatMap(URL.init(string:)) else {
            return [.answer("400 Bad Request")]
        }
        var destination = Self.path(url.path(percentEncoded: true))
        if manners.decodesDestinationFirst {
            destination = String(destination.prefix { $0 != "?" && $0 != ";" })
        }
        let folder = Self.parent(path)
        var node = state.nodes[path]
        if path.hasSuffix("/.file"), state.nodes[folder] != nil {
            let parts = state.nodes.filter { Self.parent($0.key) == folder }
                .sorted { $0.key < $1.key }
            let bytes = parts.flatMap { part -> [UInt8] in
                if case .file(let bytes, _) = part.value { bytes } else { [] }
            }
            guard request["OC-Total-Length"] == String(bytes.count) else {
                return [.answer("400 Bad Request")]
            }
            node = .file(bytes: bytes, version: 0)
        }
        guard let node else { return [.answer("404 Not Found")] }
        guard state.nodes[Self.parent(destination)] != nil else { return [.answer("409 Conflict")] }
        let there = state.nodes[destination]
        let isAllowed = (request["Overwrite"] != "F" || there == nil) && allows(request, there)
        guard isAllowed || !manners.checksMoves else {
            return [.answer("412 Precondition Failed")]
        }
        let gone = path.hasSuffix("/.file") ? folder : path
        let id = fileID(path, state)
        for (other, node) in state.nodes where other == gone || other.hasPrefix(gone + "/") {
            state.nodes[other] = nil
            if gone == path { state.nodes[destination + other.dropFirst(path.count)] = node }
        }
        if case .file(let bytes, _) = node {
            state.version += 1
            state.nodes[destination] = .file(bytes: bytes, version: state.version)
            if let id { state.kept.numbers[destination] = id }
        }
        return [.answer(manners.moveAnswer ?? (there == nil ? "201 Created" : "204 No Content"))]
    }
}

extension WebDAVStandIn.BrokenPut {
    fileprivate var outcome: (byteCount: Int, steps: [LoopbackStep]) {
        switch self {
        // Only after the first byte: before it, libcurl retries automatically.
        case .keeping(let count): (count, [.send("HTTP/1.1 2"), .close])
        case .refusing(let status, let count): (count, [.answer(status)])
        }
    }
}
