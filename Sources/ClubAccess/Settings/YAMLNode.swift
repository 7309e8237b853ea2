internal import CByteClubYaml
internal import ByteClubMessages

/// A YAML text as a tree with source locations.
///
/// Only what a settings file needs: one document, no aliases (so nothing can expand), no tags, and
/// a limited depth.
package struct YAMLNode: Sendable {
    package indirect enum Content: Sendable {
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)], isFlow: Bool)
    }

    package let content: Content
    /// Both one-based, as in editors.
    package let line: Int
    let column: Int

    /// Why a text could not be parsed, and where.
    struct Failure: Error, Hashable {
        var line: Int
        var reason: String
    }

    /// - Returns: Nil for a text without content, such as only comments.
    static func parse(_ text: String) throws(Failure) -> YAMLNode? {
        guard text.utf8.count <= sizeLimit else {
            throw Failure(line: 1, reason: localized("the file is larger than 1 MB"))
        }
        // A byte order mark is not part of the text; libyaml would count it as a column.
        let hasMark = text.unicodeScalars.first == "\u{FEFF}"
        let bytes = Array(hasMark ? text.utf8.dropFirst(3) : text.utf8[...])
        let result = bytes.withUnsafeBufferPointer { buffer -> Result<YAMLNode?, Failure> in
            var empty: UInt8 = 0
            return withUnsafePointer(to: &empty) { nothing in
                do throws(Failure) {
                    return .success(try read(buffer.baseAddress ?? nothing, buffer.count))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    private static let sizeLimit = 1 << 20
    private static let depthLimit = 32

    private static func read(
        _ bytes: UnsafePointer<UInt8>, _ count: Int
    ) throws(Failure) -> YAMLNode? {
        guard let yaml = byteclub_yaml_open(bytes, count) else {
            throw Failure(line: 1, reason: localized("there is no memory left"))
        }
        defer { byteclub_yaml_close(yaml) }
        var root: YAMLNode?
        while true {
            switch try next(yaml) {
            case YAML_STREAM_END_EVENT: return root
            case YAML_STREAM_START_EVENT, YAML_DOCUMENT_END_EVENT: continue
            case YAML_DOCUMENT_START_EVENT:
                guard root == nil else {
                    throw failure(yaml, localized("a second document (---) begins here"))
                }
            default: root = try node(yaml, depth: 0)
            }
        }
    }

    private static func next(_ yaml: UnsafeMutablePointer<byteclub_yaml>) throws(Failure)
        -> yaml_event_type_t
    {
        guard byteclub_yaml_next(yaml) != 0 else {
            let reason = byteclub_yaml_problem(yaml).map { String(cString: $0) }
            throw Failure(
                line: Int(byteclub_yaml_problem_line(yaml)) + 1,
                reason: reason ?? localized("this is not YAML"))
        }
        return byteclub_yaml_type(yaml)
    }

    /// The node that the current event begins.
    private static func node(
        _ yaml: UnsafeMutablePointer<byteclub_yaml>, depth: Int
    ) throws(Failure) -> YAMLNode {
        guard depth < depthLimit else {
            throw failure(yaml, localized("this is nested too deeply"))
        }
        let (line, column) = (
            Int(byteclub_yaml_line(yaml)) + 1, Int(byteclub_yaml_column(yaml)) + 1
        )
        let content: Content
        switch byteclub_yaml_type(yaml) {
        case YAML_SCALAR_EVENT:
            var count = 0
            let bytes = byteclub_yaml_scalar(yaml, &count)
            let text = UnsafeBufferPointer(start: bytes, count: count)
            content = .scalar(
                String(decoding: text, as: UTF8.self),
                isPlain: byteclub_yaml_scalar_is_plain(yaml) != 0)
        case YAML_SEQUENCE_START_EVENT:
            var items: [YAMLNode] = []
            while try next(yaml) != YAML_SEQUENCE_END_EVENT {
                items.append(try node(yaml, depth: depth + 1))
            }
            content = .sequence(items)
        case YAML_MAPPING_START_EVENT:
            let isFlow = byteclub_yaml_mapping_is_flow(yaml) != 0
            var pairs: [(key: YAMLNode, value: YAMLNode)] = []
            while try next(yaml) != YAML_MAPPING_END_EVENT {
                let key = try node(yaml, depth: depth + 1)
                _ = try next(yaml)
                pairs.append((key, try node(yaml, depth: depth + 1)))
            }
            content = .mapping(pairs, isFlow: isFlow)
        case YAML_ALIAS_EVENT:
            throw failure(yaml, localized("aliases (*name) cannot be used here"))
        default:
            throw failure(yaml, localized("this is not YAML"))
        }
        return YAMLNode(content: content, line: line, column: column)
    }

    private static func failure(
        _ yaml: UnsafeMutablePointer<byteclub_yaml>, _ reason: String
    ) -> Failure {
        Failure(line: Int(byteclub_yaml_line(yaml)) + 1, reason: reason)
    }
}

extension YAMLNode {
    package var scalar: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }

    /// Whether the value is missing.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// A boolean in any of YAML 1.1's spellings; nil for anything else, and for quoted text.
    var flag: Bool? {
        guard case .scalar(let text, isPlain: true) = content else { return nil }
        return switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }

    package var pairs: [(key: YAMLNode, value: YAMLNode)]? {
        if case .mapping(let pairs, _) = content { pairs } else { nil }
    }

    /// Whether both have the same meaning, regardless of location and notation.
    func says(_ other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let a, let isPlain), .scalar(let b, let otherIsPlain)):
            a == b && isPlain == otherIsPlain
        case (.sequence(let a), .sequence(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.says($1) }
        case (.mapping(let a, _), .mapping(let b, _)):
            a.count == b.count
                && zip(a, b).allSatisfy { $0.key.says($1.key) && $0.value.says($1.value) }
        default: false
        }
    }
}
