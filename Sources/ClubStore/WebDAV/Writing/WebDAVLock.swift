import CurlNetworking
import FoundationEssentials

/// An exclusive write lock (RFC 4918 §6) on one file, held between a check and a write.
///
/// For servers that ignore conditions on writes but respect locks, such as rclone: nobody else can
/// write between the two.
struct WebDAVLock: Sendable {
    let token: String
    /// Whether the path was free, so that the lock has created an empty file (RFC 4918
    /// §7.3).
    let isOnNewFile: Bool
    private let url: String
    private let store: WebDAVStore

    /// Long enough for a check and a small write; a killed program blocks others no longer than
    /// this.
    private static let timeout = "Second-20"

    private static let body = Data(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>\
        <D:locktype><D:write/></D:locktype><D:owner>Byte Club</D:owner></D:lockinfo>
        """.utf8)

    /// - Returns: Nil when the server grants no lock although it did before: the caller continues
    ///   without.
    /// - Throws: `.locked` when someone else holds it even after retries.
    static func take(
        _ path: RemotePath, in store: WebDAVStore, during operation: StoreError.Operation
    ) async throws(StoreError) -> WebDAVLock? {
        try await take(store.address.url(of: path), in: store, during: operation, at: path)
    }

    static func take(
        _ url: String, in store: WebDAVStore, during operation: StoreError.Operation,
        at path: RemotePath?
    ) async throws(StoreError) -> WebDAVLock? {
        var request = WebDAVRequest("LOCK", url)
        request.fields["Content-Type"] = "application/xml; charset=utf-8"
        request.fields["Depth"] = "0"
        request.fields["Timeout"] = timeout
        request.body = .data(body)
        // A lock whose response is lost is held until it times out.
        request.isRepeatable = false
        do throws(StoreError) {
            let answer = try await store.send(request, during: operation, at: path)
            guard let field = answer.response.value(forHTTPHeaderField: "Lock-Token"),
                let token = token(in: field)
            else { return nil }
            return WebDAVLock(
                token: token, isOnNewFile: answer.status == 201, url: url, store: store)
        } catch {
            // Servers without locks also return 501.
            guard let status = error.webDAVStatus, ![401, 423].contains(status),
                status < 500 || status == 501
            else { throw error }
            return nil
        }
    }

    enum Target {
        /// It is gone, and the lock with it: nothing was there to be locked.
        case newFile
        /// The lock is held on it.
        case existingFile
    }

    /// Removes the empty file that the lock has created, if it has, and releases the lock. A file with bytes was
    /// there before, whatever the server said.
    func leaveNewFile(at path: RemotePath) async -> Target {
        guard isOnNewFile else { return .existingFile }
        if case .file(let file) = await store.lookOnce(at: path, during: .delete),
            file.file.byteCount > 0
        {
            return .existingFile
        }
        var request = WebDAVRequest("DELETE", url)
        request.fields["If"] = "(<\(token)>)"
        await store.sendQuietly(request)
        await release()
        return .newFile
    }

    /// Releases it; if that fails, the lock times out on the server.
    func release() async {
        var request = WebDAVRequest("UNLOCK", url)
        request.fields["Lock-Token"] = "<\(token)>"
        await store.sendQuietly(request)
    }

    /// The URI in `<urn:uuid:…>`; nil if it is not safe in a header field.
    private static func token(in field: String) -> String? {
        guard field.hasPrefix("<"), field.hasSuffix(">") else { return nil }
        let token = field.dropFirst().dropLast()
        let isSafe = token.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && ![UInt8(ascii: "<"), UInt8(ascii: ">")].contains($0)
        }
        return token.isEmpty || !isSafe ? nil : String(token)
    }
}
