import CurlNetworking
import FoundationEssentials

// Capabilities are probed with temporary files, which are removed at once.

extension WebDAVStore {
    /// - Throws: What a write of a small file throws.
    func currentCapabilities(
        during operation: StoreError.Operation
    ) async throws(StoreError) -> ServerCapabilities {
        try await capabilities.capabilities(at: configuration.clock.date()) { [self] in
            let scratch = try RemotePath.root.appending(TemporaryName.probe())
            let probe = WriteProbe(store: self, path: scratch, operation: operation)
            return try await withScratch([scratch]) { () async throws(StoreError) in
                try await probe.run()
            }
        } check: { [self] known in
            let scratch = try RemotePath.root.appending(TemporaryName.probe())
            let probe = WriteProbe(store: self, path: scratch, operation: operation)
            return try await withScratch([scratch]) { () async throws(StoreError) in
                try await probe.confirm(known)
            }
        }
    }

    /// Probes with temporary files, which are removed at once, also after an error.
    private func withScratch<Found>(
        _ scratch: [RemotePath], _ probe: () async throws(StoreError) -> Found
    ) async throws(StoreError) -> Found {
        let result: Result<Found, StoreError>
        do throws(StoreError) {
            result = .success(try await probe())
        } catch {
            result = .failure(error)
        }
        for path in scratch { await remove(path) }
        return try result.get()
    }

    // MARK: - Ranges

    /// Probes whether a file can be sent in consecutive parts.
    func probeRanges(during operation: StoreError.Operation) async throws(StoreError) -> ProbeResult
    {
        if let known = capabilities.known?.placesRanges { return ProbeResult(isSupported: known) }
        let scratch = try RemotePath.root.appending(TemporaryName.probe())
        let found = try await withScratch([scratch]) { () async throws(StoreError) in
            try await sendRanges(to: address.url(of: scratch), during: operation)
        }
        capabilities.learn(\.placesRanges, found == .supported)
        return found
    }

    private func sendRanges(
        to url: String, during operation: StoreError.Operation
    ) async throws(StoreError) -> ProbeResult {
        var request = WebDAVRequest("PUT", url)
        request.body = .data(Data("Byte ".utf8))
        _ = try await send(request, during: operation, at: nil)
        request.body = .data(Data("Club".utf8))
        request.fields["Content-Range"] = "bytes 5-8/9"
        do throws(StoreError) {
            _ = try await send(request, during: operation, at: nil)
        } catch {
            guard error.webDAVStatus != nil else { throw error }
            return .unsupported
        }
        let answer = try await send(.get(url), during: operation, at: nil)
        return ProbeResult(isSupported: answer.body == Data("Byte Club".utf8))
    }

    // MARK: - Destinations

    /// Probes whether a `MOVE` can store a file at a path: plain names arrive intact at every server.
    func probeMove(
        to path: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) -> ProbeResult {
        guard nextcloud == nil, !path.components.allSatisfy(Self.isPlain) else {
            return .supported
        }
        if capabilities.known?.keepsDestinations == true { return .supported }
        let isOdd = path.components.contains(where: TemporaryName.isOdd)
        let capability: WritableKeyPath<ServerCapabilities, Bool?> =
            isOdd ? \.keepsDestinations : \.keepsMildDestinations
        if let known = capabilities.known?[keyPath: capability] {
            return ProbeResult(isSupported: known)
        }
        // The write capabilities come first: this result is stored with them.
        _ = try await currentCapabilities(during: operation)
        let source = try RemotePath.root.appending(TemporaryName.staged())
        let destination = try RemotePath.root.appending(
            isOdd ? TemporaryName.oddProbe() : TemporaryName.mildProbe())
        let found = try await withScratch([source, destination]) { () async throws(StoreError) in
            try await sendProbeMove(from: source, to: destination, during: operation)
        }
        capabilities.learn(capability, found == .supported)
        return found
    }

    private func sendProbeMove(
        from source: RemotePath, to destination: RemotePath,
        during operation: StoreError.Operation
    ) async throws(StoreError) -> ProbeResult {
        try await putProbe(at: source, during: operation)
        var request = WebDAVRequest("MOVE", address.url(of: source))
        request.fields["Destination"] = address.url(of: destination)
        request.fields["Overwrite"] = "F"
        do throws(StoreError) {
            _ = try await send(request, during: operation, at: nil)
        } catch {
            guard let status = error.webDAVStatus else { throw error }
            // Without `MOVE`, it mangles nothing: see ``StagedUploadStrategy``.
            return ProbeResult(isSupported: status == 405 || status == 501)
        }
        if case .file = try await look(at: destination, during: operation) { return .supported }
        // Where it went instead is a temporary name, too.
        for name in TemporaryName.mangled(destination.name) {
            if let path = try? RemotePath.root.appending(name) { await remove(path) }
        }
        return .unsupported
    }

    // MARK: - Hidden names

    @concurrent public func probeHiddenNames() async -> HiddenNames {
        guard nextcloud == nil else { return .listed }
        if let known = capabilities.known?.listsHiddenNames { return known ? .listed : .leftOut }
        let name = TemporaryName.probe()
        guard let place = try? RemotePath.root.appending(name) else { return .listed }
        do throws(StoreError) {
            // The write capabilities come first: this result is stored with them.
            _ = try await currentCapabilities(during: .metadata)
            try await putProbe(at: place, during: .metadata)
            let isListed = try await namesAtRoot().contains { $0.contains(name) }
            await remove(place)
            capabilities.learn(\.listsHiddenNames, isListed)
            return isListed ? .listed : .leftOut
        } catch {
            await remove(place)
            return .listed
        }
    }

    /// The addresses in a listing of the root folder.
    private func namesAtRoot() async throws(StoreError) -> [String] {
        let answer = try await ask(
            .propfind(
                address.url(of: .root, isFolder: true), depth: 1,
                properties: "<D:resourcetype/>"),
            during: .metadata, at: nil)
        return answer.responses.map(\.href)
    }

    private func putProbe(
        at place: RemotePath, during operation: StoreError.Operation
    ) async throws(StoreError) {
        var request = WebDAVRequest("PUT", address.url(of: place))
        request.body = .data(Data("Byte Club".utf8))
        _ = try await send(request, during: operation, at: nil)
    }

    /// Whether a name is unchanged by escaping.
    private static func isPlain(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                true
            default: false
            }
        }
    }

    // MARK: - Cleaning up

    /// Removes a temporary file, ignoring errors.
    func remove(_ path: RemotePath) async {
        await removeQuietly(address.url(of: path))
    }

    func removeQuietly(_ url: String) async {
        await sendQuietly(WebDAVRequest("DELETE", url))
    }

    /// Sends a clean-up request and ignores the result. Also when the task is cancelled; with a
    /// short timeout.
    func sendQuietly(_ request: WebDAVRequest) async {
        var limited = request
        limited.timeout = .seconds(5)
        let message = limited
        await Task { [self] in
            var policy = configuration.policy
            policy.attempts = 2
            policy.longestWaiting = .seconds(2)
            _ = try? await connection.send(
                during: .delete, at: nil, through: loader, policy: policy
            ) { message }
        }.value
    }
}
