import CurlNetworking
import FoundationEssentials
internal import ByteClubMessages
import ByteClubPictures
import TerminalUI

/// A decoded picture from the web.
struct WebImage: Sendable {
    /// At most ``WebImageLoader/largestSize``.
    let pixels: PixelImage
    /// The original size.
    let fullSize: PixelSize
}

/// Why there is no picture, as a sentence.
struct WebImageError: Error {
    let sentence: String
}

/// Loads the pictures of pages. They are decoded in separate, confined processes (`PictureWorkers`); this one
/// only examines their first bytes.
@MainActor
struct WebImageLoader {
    /// The maximum size of a picture in a page.
    nonisolated static let byteLimit = 8 << 20
    /// The maximum size of a picture opened directly.
    nonisolated static let openedByteLimit = 32 << 20
    /// The maximum size of decoded pictures.
    nonisolated static let largestSize = PixelSize(width: 1600, height: 1200)
    /// The time limit for a picture of a page.
    private static let seconds: Double = 20

    let session: URLSession

    /// - Parameter page: The page that shows it. The user is not asked for a password for a picture, and only
    ///   the page's own host gets cookies.
    /// - Returns: The picture, and the number of bytes loaded.
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
        // A server that sends single bytes avoids every other timeout.
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

    /// Whether a page may show a picture from an address: an encrypted page no unencrypted picture, and a
    /// remote page no picture from this computer.
    nonisolated static func mayLoad(_ url: URL, for page: URL) -> Bool {
        let scheme = url.scheme?.lowercased()
        guard scheme == "https" || scheme == "http", url.host()?.isEmpty == false else {
            return false
        }
        if scheme == "http", page.scheme?.lowercased() == "https" { return false }
        return !WebAddress.isLoopback(url) || WebAddress.isLoopback(page)
    }
}
