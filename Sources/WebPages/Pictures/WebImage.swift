import CurlNetworking
import FoundationEssentials
internal import ByteClubMessages
import ByteClubPictures
import TerminalUI

/// A decoded picture from the web.
struct WebImage: Sendable {
    /// At most ``WebImageLoader/largestSize``.
    let pixels: PixelImage
    /// As it was sent.
    let fullSize: PixelSize
}

/// Why there is no picture, as a sentence.
struct WebImageError: Error {
    let sentence: String
}

/// Brings the pictures that pages name. They are decoded in a process apart, which may do nothing else
/// (`PictureWorkers`); this one looks at no byte of them but the first few.
@MainActor
struct WebImageLoader {
    /// Bytes of a picture in a page.
    nonisolated static let byteLimit = 8 << 20
    /// Bytes of one that was opened alone.
    nonisolated static let openedByteLimit = 32 << 20
    /// Decoded pictures are no larger.
    nonisolated static let largestSize = PixelSize(width: 1600, height: 1200)
    /// For one of a page, in all.
    private static let seconds: Double = 20

    let session: URLSession

    /// - Parameter page: The page that shows it. Nobody is asked for a password for a picture, no other host
    ///   than the page's gets cookies with the request for it.
    /// - Returns: The picture, and the bytes that it took.
    func load(
        _ url: URL, for page: URL, timedBy scheduler: any Scheduler
    ) async throws -> (image: WebImage, byteCount: Int) {
        var request = URLRequest(url: url, timeoutInterval: Self.seconds)
        request.mainDocumentURL = page
        request.httpShouldHandleCookies = url.host() == page.host()
        request.setValue("image/*", forHTTPHeaderField: "Accept")
        let fetch = WebFetch(
            request, in: session, limit: url == page ? Self.openedByteLimit : Self.byteLimit)
        fetch.mayLoad = { Self.mayLoad($0, for: page) }
        // A server that sends a byte now and then is in time for every timeout but this one.
        let timeout = scheduler.schedule(after: .seconds(Self.seconds)) { fetch.cancel() }
        defer { timeout.cancel() }
        let resource = try await fetch.run()
        guard resource.statusCode < 400, !resource.isCut else { throw URLError(.badServerResponse) }
        return (try await Self.decode(resource), resource.body.count)
    }

    /// - Throws: `WebImageError`.
    @concurrent
    nonisolated static func decode(_ resource: WebResource) async throws(WebImageError) -> WebImage
    {
        guard !resource.isCut else {
            throw WebImageError(
                sentence: localized("The picture is larger than 32 MiB, and is not shown."))
        }
        do throws(PictureError) {
            let decoded = try await PictureWorkers.shared.decode(
                PictureFile(data: Data(resource.body), name: resource.url.lastPathComponent),
                scaledToFit: largestSize)
            return WebImage(pixels: decoded.image, fullSize: decoded.fullSize)
        } catch {
            throw WebImageError(
                sentence: localized("It could not be shown because \(error.reason)."))
        }
    }

    /// Whether a page may show a picture from an address: none from a connection that others can read where
    /// the page's was not, and none from this computer where the page is not from here.
    nonisolated static func mayLoad(_ url: URL, for page: URL) -> Bool {
        let scheme = url.scheme?.lowercased()
        guard scheme == "https" || scheme == "http", url.host()?.isEmpty == false else {
            return false
        }
        if scheme == "http", page.scheme?.lowercased() == "https" { return false }
        return !WebAddress.isLoopback(url) || WebAddress.isLoopback(page)
    }
}
