import CByteClubDemo
import WebPages

/// The files of the demonstration's site: `Resources/Demo`.
enum DemoPages {
    /// `nerd:feed` in Base64.
    private static let credentials = "Basic bmVyZDpmZWVk"

    static func answer(to request: LoopbackSite.Request) -> LoopbackSite.Answer {
        if request.path == "/members", request["Authorization"] != credentials {
            return LoopbackSite.Answer(
                "401 Unauthorized", type: "text/html",
                fields: ["WWW-Authenticate: Basic realm=\"Members of the demonstration\""],
                body: Array("<title>Log in</title><p>This page is for members.".utf8))
        }
        let files = (0..<nerdfeed_demo_file_count()).lazy.map(nerdfeed_demo_file_at)
        guard let file = files.first(where: { String(cString: $0.path) == request.path }) else {
            return LoopbackSite.Answer(
                "404 Not Found", type: "text/html",
                body: Array("<title>Not found</title><p>There is no such page.".utf8))
        }
        return LoopbackSite.Answer(
            "200 OK", type: String(cString: file.type),
            body: Array(UnsafeBufferPointer(start: file.bytes, count: file.byte_count)))
    }
}
