import CurlNetworking
import FoundationEssentials

/// The resource at a path.
enum WebDAVResource: Hashable, Sendable {
    case nothing
    case file(WebDAVFile)
    case folder
}

extension WebDAVStore {
    var fileProperties: String {
        "<D:resourcetype/><D:getetag/><D:getcontentlength/><D:getlastmodified/>"
            + (nextcloud == nil ? "" : NextcloudPlace.properties)
    }

    /// Requests the metadata of a path.
    func look(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVResource {
        let answer: Multistatus
        do throws(StoreError) {
            answer = try await ask(
                .propfind(address.url(of: path), depth: 0, properties: fileProperties),
                during: operation, at: path)
        } catch {
            // Below a file, servers respond with various errors.
            switch error.webDAVStatus {
            case 404, 409, 410: break
            case 400, 403, 405:
                guard let parent = path.parent, !parent.isRoot,
                    case .file = try await look(at: parent, during: operation)
                else { throw error }
            default: throw error
            }
            memory.forget(path)
            return .nothing
        }
        let resource = try resource(in: answer, at: path, during: operation)
        guard case .file(let file) = resource, !file.hasLength else { return resource }
        let measured = try await measured(file, during: operation)
        memory.keep([measured])
        return .file(measured)
    }

    /// Requests what a write has left: a 412 to this does not mean a failed condition: it has none.
    func lookToConfirm(
        at path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVResource {
        do throws(StoreError) {
            return try await look(at: path, during: operation)
        } catch {
            throw error.ofUnconditional
        }
    }

    /// Requests the metadata of a path without retries, after a failed write: nil when there is
    /// no response.
    func lookOnce(
        at path: RemotePath, during operation: StoreError.Operation
    ) async -> WebDAVResource? {
        do throws(StoreError) {
            let answer = try await askOnce(address.url(of: path), during: operation, at: path)
            return try resource(in: answer, at: path, during: operation)
        } catch {
            return error.webDAVStatus == 404 ? .nothing : nil
        }
    }

    /// Whether there is a folder at a URL.
    func isFolder(_ url: String, during operation: StoreError.Operation) async -> Bool {
        let answer = try? await askOnce(url, during: operation, at: nil)
        return answer?.responses.first?.properties.isCollection == true
    }

    private func askOnce(
        _ url: String, during operation: StoreError.Operation, at path: RemotePath?
    ) async throws(StoreError) -> Multistatus {
        let sink = MultistatusSink(during: operation, at: path)
        var policy = configuration.policy
        policy.attempts = 1
        _ = try await connection.send(
            during: operation, at: path, through: loader,
            observers: HTTPLoader.Observers(sink: sink), policy: policy
        ) { [self] in
            var request = WebDAVRequest.propfind(url, depth: 0, properties: fileProperties)
            request.timeout = .seconds(5)
            return request
        }
        return try sink.finish()
    }

    private func resource(
        in answer: Multistatus, at path: RemotePath, during operation: StoreError.Operation
    ) throws(StoreError) -> WebDAVResource {
        guard let response = answer.responses.first else {
            throw StoreError(
                .badAnswer, during: operation, at: path, detail: "an empty multistatus")
        }
        if let status = response.status, !(200..<300).contains(status) {
            let refusal = WebDAVRefusal(status: status, method: "PROPFIND", words: "")
            let error = refusal.error(during: operation, at: path)
            guard status == 404 || status == 410 else { throw error }
            return .nothing
        }
        if response.properties.isCollection { return .folder }
        let file = file(response.properties, at: path, date: answer.date)
        let known = file.hasLength ? file : measuredBefore(file) ?? file
        memory.keep([known])
        return .file(known)
    }

    /// The direct children of a folder.
    ///
    /// - Throws: `.notFound`; `.wrongKind` when it is a file.
    func entries(
        of folder: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> FolderContent {
        let answer: Multistatus
        do throws(StoreError) {
            answer = try await ask(
                .propfind(
                    address.url(of: folder, isFolder: true), depth: 1,
                    properties: fileProperties),
                during: operation, at: folder)
        } catch {
            // With a trailing slash, a file is not found.
            guard let status = error.webDAVStatus, [400, 403, 404, 405, 409].contains(status),
                !folder.isRoot, case .file = try? await look(at: folder, during: operation)
            else { throw error }
            throw StoreError(.wrongKind, during: operation, at: folder, underlying: error)
        }
        var content = try content(of: folder, in: answer, during: operation)
        for index in content.files.indices where !content.files[index].hasLength {
            content.files[index] = try await measured(content.files[index], during: operation)
        }
        memory.keep(content.files)
        return content
    }

    /// Some servers tell the length of a file only with the file itself: it is asked for once in each state.
    func measured(
        _ file: WebDAVFile, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVFile {
        guard !file.hasLength else { return file }
        if let known = measuredBefore(file) { return known }
        let path = file.file.path
        var request = WebDAVRequest("HEAD", address.url(of: path))
        request.fields["Accept-Encoding"] = "identity"
        do throws(StoreError) {
            let answer = try await send(request, limit: .max, during: operation, at: path)
            let isEncoded = answer.response.value(forHTTPHeaderField: "Content-Encoding") != nil
            let length = answer.response.value(forHTTPHeaderField: "Content-Length")
                .flatMap(Int64.init)
            return file.measured(isEncoded ? nil : length.flatMap { $0 >= 0 ? $0 : nil })
        } catch {
            guard let status = error.webDAVStatus else { throw error }
            if [400, 403, 404, 405, 410, 501].contains(status) { return file.measured(nil) }
            // A passing error must not change a revision that is made of the length.
            guard file.tag != nil else { throw error }
            return file
        }
    }

    /// The same state of a file whose length was asked for before; nil if it was not.
    private func measuredBefore(_ file: WebDAVFile) -> WebDAVFile? {
        guard let known = memory.file(at: file.file.path), known.wasMeasured,
            known.hasLength(of: file)
        else { return nil }
        return file.measured(known.knownByteCount)
    }

    /// - Parameter date: The time of the response, by the server's clock.
    func file(
        _ properties: Multistatus.Properties, at path: RemotePath, date: Date?
    ) -> WebDAVFile {
        let tag = properties.etag.flatMap(EntityTag.init)
        let byteCount = max(0, properties.byteCount ?? 0)
        let modified = properties.modified ?? Date(timeIntervalSince1970: 0)
        return WebDAVFile(
            file: RemoteFile(
                path: path,
                revision: tag?.revision ?? Revision(byteCount: byteCount, modified: modified),
                byteCount: byteCount, modified: modified),
            tag: tag, fileID: properties.fileID, hasPreview: properties.hasPreview,
            fullSize: properties.fullSize, hasLength: properties.byteCount != nil,
            isFresh: isFresh(modified, at: date), agesSoon: agesSoon(modified, at: date))
    }

    /// Whether a file may have been written so shortly before a time of the server's clock that its second
    /// is not over. Of a time that is missing, or still to come, nothing follows.
    func isFresh(_ modified: Date, at date: Date?) -> Bool {
        guard capabilities.known?.hasReliableTimes != false, Self.isTime(modified) else {
            return true
        }
        return age(of: modified, at: date) < Self.freshAge
    }

    private func agesSoon(_ modified: Date, at date: Date?) -> Bool {
        capabilities.known?.hasReliableTimes != false
            && abs(age(of: modified, at: date)) < Self.freshAge
    }

    /// In seconds.
    private func age(of modified: Date, at date: Date?) -> Double {
        (date ?? configuration.clock.date()).timeIntervalSince(modified)
    }

    /// Kernels stamp files with a clock that lags a little, and servers cache the date of their responses for a
    /// second.
    private static let freshAge = 2.5

    /// Whether a time of modification says anything: servers that keep none show the beginning of the epoch, in
    /// some time zone.
    static func isTime(_ modified: Date) -> Bool { modified.timeIntervalSince1970 > 86_400 }
}

/// The contents of a folder.
struct FolderContent: Sendable {
    var files: [WebDAVFile] = []
    var folders: [RemotePath] = []

    /// The folder's own tag.
    var tag: EntityTag?

    /// Entries without a valid path: see ``Listing/skipped``.
    var skipped: [String] = []

    /// Temporary files left behind by programs that were interrupted.
    var leftovers: [RemotePath] = []

    /// Records an entry without a valid path.
    mutating func skip(_ href: String, in folder: RemotePath) {
        let name = href.split(separator: "/").last ?? ""
        skipped.append((folder.isRoot ? "" : folder.string) + "/" + name)
    }
}

extension WebDAVStore {
    /// Determines which responses are the folder itself and which its children, whatever prefix the
    /// server uses.
    private func content(
        of folder: RemotePath, in answer: Multistatus, during operation: StoreError.Operation
    ) throws(StoreError) -> FolderContent {
        let places = answer.responses.map { response in
            response.status.map { (200..<300).contains($0) } ?? true
                ? address.components(ofHref: response.href, in: folder) : nil
        }
        guard
            let base = base(of: places, asked: address.baseComponents + folder.components)
        else {
            throw StoreError(
                .badAnswer, during: operation, at: folder,
                detail:
                    "hrefs of another folder: \(answer.responses.first?.href.prefix(200) ?? "none")"
            )
        }
        var content = FolderContent()
        for (place, response) in zip(places, answer.responses) {
            guard let place else {
                if response.status.map({ (200..<300).contains($0) }) ?? true {
                    content.skip(response.href, in: folder)
                }
                continue
            }
            if place == base {
                guard response.properties.isCollection || answer.responses.count > 1 else {
                    throw StoreError(.wrongKind, during: operation, at: folder)
                }
                content.tag = response.properties.etag.flatMap(EntityTag.init)
                continue
            }
            guard place.count == base.count + 1, place.starts(with: base), let name = place.last
            else { continue }
            guard let path = try? folder.appending(name) else {
                content.skip(response.href, in: folder)
                continue
            }
            if TemporaryName.isOne(name) {
                if isLeftover(response.properties, at: answer.date) {
                    content.leftovers.append(path)
                }
                continue
            }
            if response.properties.isCollection {
                content.folders.append(path)
            } else {
                content.files.append(file(response.properties, at: path, date: answer.date))
            }
        }
        return content
    }

    /// The common prefix of all entries in the folder.
    ///
    /// Usually the requested one. Behind a proxy it may differ: then the folder's own, which is the
    /// shortest, if all others are direct children.
    private func base(of places: [[String]?], asked: [String]) -> [String]? {
        let places = places.compactMap(\.self)
        if places.contains(asked) { return asked }
        guard !places.isEmpty else { return nil }
        if places.allSatisfy({ $0.dropLast().elementsEqual(asked) }) { return asked }
        guard let shortest = places.min(by: { $0.count < $1.count }),
            places.allSatisfy({ $0 == shortest || $0.dropLast().elementsEqual(shortest) })
        else { return nil }
        return shortest
    }
}
