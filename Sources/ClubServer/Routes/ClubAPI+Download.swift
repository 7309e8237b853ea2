import DropboxAPI

extension ClubAPI {
    func addDownloadRoutes(to router: inout Router) {
        router.add(Routes.download) { argument, request in
            do throws(LookupError) {
                let opened = try await open(argument)
                return Self.answer(request.head, opened.metadata, opened.file)
            } catch {
                throw DownloadError.path(error)
            }
        }
    }

    private struct Opened: ~Copyable {
        let metadata: FileMetadata
        let file: Descriptor
    }

    /// Opens a file and describes exactly the opened one: replacing it later does not affect this
    /// download.
    private func open(
        _ argument: DownloadArg
    ) async throws(LookupError) -> Opened {
        let path = argument.revision.map { "rev:" + $0 } ?? argument.path
        for _ in 0..<5 {
            let entry: Entry
            let names: [String]
            do throws(LookupError) {
                (entry, names) = try await club.findFile(path)
            } catch {
                guard error == .notFound, path.hasPrefix("rev:"),
                    let kept = club.revisions?.open(String(path.dropFirst(4)))
                else { throw error }
                return Opened(metadata: fileMetadata(of: kept.revision), file: kept.takeFile())
            }
            guard let file = try? club.access.file(names),
                let signature = try? FileStatus.of(file).signature
            else { throw .notFound }
            guard signature == entry.facts?.signature else { continue }
            let known =
                entry.facts?.contentHash != nil || signature.size > Self.hashingLimit
                ? entry : await hash(entry) ?? entry
            return Opened(metadata: await club.fileMetadata(of: known), file: file)
        }
        // Another program writes it continuously.
        throw .locked
    }

    /// Above this size a first download does not wait for the hash.
    private static let hashingLimit: Int64 = 256 << 20

    private static func answer(
        _ head: RequestHead, _ metadata: FileMetadata, _ file: consuming Descriptor
    ) -> Response {
        let size = Int64(metadata.size)
        // Strong: a revision identifies its bytes, so an interrupted download can be resumed.
        let tag = "\"\(metadata.revision)\""
        var headers = [
            (name: "Content-Type", value: "application/octet-stream"),
            (name: "Accept-Ranges", value: "bytes"),
            (name: "ETag", value: tag),
            (name: "Original-Content-Length", value: String(size)),
            (name: "Dropbox-API-Result", value: WireJSON.headerText(metadata)),
        ]
        if let wanted = head.headers["if-none-match"], matches(wanted, metadata.revision) {
            return Response(status: 304, headers: headers)
        }
        switch ByteRange(head.headers["range"], size: size) {
        case .whole:
            return Response(status: 200, headers: headers, body: .file(file, 0..<size))
        case .part(let range):
            // The revision has changed since the first request: send all of it.
            if let condition = head.headers["if-range"], !matches(condition, metadata.revision) {
                return Response(status: 200, headers: headers, body: .file(file, 0..<size))
            }
            headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"))
            return Response(status: 206, headers: headers, body: .file(file, range))
        case .unsatisfiable:
            return Response(status: 416, headers: headers + [("Content-Range", "bytes */\(size)")])
        }
    }

    private static func matches(_ condition: String, _ revision: String) -> Bool {
        condition.split(separator: ",").contains { tag in
            let tag = tag.filter { $0 != " " }
            return tag == "*" || tag == "\"\(revision)\"" || tag == "W/\"\(revision)\""
                || tag == revision
        }
    }
}

/// A parsed `Range` header (RFC 9110 §14.2).
enum ByteRange: Hashable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    /// Malformed headers, and requests for several ranges, are ignored.
    init(_ header: String?, size: Int64) {
        self = .whole
        guard let header, header.lowercased().hasPrefix("bytes=") else { return }
        let parts = header.dropFirst(6).filter { $0 != " " }
            .split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return }
        switch (Int64(parts[0]), Int64(parts[1])) {
        case (nil, let suffix?) where parts[0].isEmpty:
            self = suffix == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - suffix)..<size)
        case (let first?, nil) where parts[1].isEmpty:
            self = first < size ? .part(first..<size) : .unsatisfiable
        case (let first?, let last?):
            guard first <= last else { return }
            self = first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
        default:
            return
        }
    }
}
