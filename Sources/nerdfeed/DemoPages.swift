/// What the demonstration has at its addresses.
enum DemoPages {
    /// A whole answer over HTTP.
    static func answer(to request: String) -> String {
        let lines = request.split(separator: "\r\n")
        let target = lines.first?.split(separator: " ").dropFirst().first ?? "/"
        let path = String(target.prefix { $0 != "?" })
        // `nerd:feed` in Base64.
        let isLoggedIn = lines.contains { $0.lowercased() == "authorization: basic bmvyzdpmzwvk" }
        if path == "/members", !isLoggedIn {
            return answer(
                "401 Unauthorized", page("Log in", "<p>This page is for members.</p>"),
                "WWW-Authenticate: Basic realm=\"Members of the demonstration\"\r\n")
        }
        if path == "/courses.json" { return answer("200 OK", courses, type: "application/json") }
        guard let page = pages[path] else {
            return answer("404 Not Found", page("Not found", "<p>There is no such page.</p>"))
        }
        return answer("200 OK", page)
    }

    private static func answer(
        _ status: String, _ body: String, _ fields: String = "", type: String = "text/html"
    ) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type); charset=utf-8\r\n\(fields)"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    private static func page(_ title: String, _ body: String) -> String {
        "<!DOCTYPE html><html><head><title>\(title)</title></head><body>\(body)</body></html>"
    }

    private static let courses = """
        {"courses": [
          {"title": "Advanced Swift", "url": "/swift",
           "upcoming": [{"start_date": "2031-03-10", "instructors": "Ada, Grace"}]},
          {"title": "Text on Terminals", "url": "/terminals",
           "upcoming": [{"start_date": "2031-05-05"}]},
          {"title": "Networking with libcurl", "url": "/networking", "upcoming": []},
          {"title": "Members only", "url": "/members"}
        ]}
        """

    private static let pages = [
        "/swift": page(
            "Advanced Swift",
            """
            <h1>Advanced Swift</h1>
            <p>Five days on the <em>language</em> and its <strong>concurrency</strong>, for those who write
            <code>async</code> already and want to know why it works.</p>
            <h2>What you need</h2>
            <ul><li>A laptop with Swift 6</li><li>A note of what puzzles you<ul><li>or two</li></ul></li>
            <li>See <a href="/terminals">Text on Terminals</a> first</li></ul>
            <h2>Days</h2>
            <table><tr><th>Day</th><th>Morning</th><th>Afternoon</th></tr>
            <tr><td>1</td><td>Values and ownership</td><td>Generics</td></tr>
            <tr><td>2</td><td>Actors and isolation</td><td>Sending values across</td></tr>
            <tr><td>3</td><td>C from Swift</td><td>A parser that trusts nobody</td></tr></table>
            <h2 id="code">A taste</h2>
            <pre>actor Counter {
                var value = 0
                func increment() { value += 1 }
            }</pre>
            <blockquote><p>“It was fast before I measured it.”</p></blockquote>
            <hr><p><a href="/networking">Networking with libcurl</a> is next, and
            <a href="/members">the members' page</a> has the slides
            (name <b>nerd</b>, password <b>feed</b>).</p>
            """),
        "/terminals": page(
            "Text on Terminals",
            """
            <h1>Text on Terminals</h1>
            <p>Cells, colors and 漢字 that are two columns wide: 端末の文字は二桁の幅があります。 Emoji 🎉, too.</p>
            <ol><li>What a terminal is</li><li>Escape sequences, and why pages cannot send
            any: the one here, &#27;[31m, is only text.</li><li>Widths</li></ol>
            <p><img src="/cells.png" alt="A grid of cells with one wide letter"></p>
            <p>Back to <a href="/swift#code">the code of Advanced Swift</a>.</p>
            """),
        "/networking": page(
            "Networking with libcurl",
            """
            <h1>Networking with libcurl</h1><p>Tasks, delegates, caches and cookies.</p>
            <dl><dt>Data task</dt><dd>Loads into memory.</dd>
            <dt>Download task</dt><dd>Loads into a file, and goes on where it stopped.</dd></dl>
            <p>A link that <a href="/nowhere">leads nowhere</a>, and <a href="/swift">one home</a>.</p>
            """),
        "/members": page(
            "Members only",
            "<h1>Members only</h1><p>You are in. The slides are <a href=\"/swift\">here</a>.</p>"),
    ]
}
