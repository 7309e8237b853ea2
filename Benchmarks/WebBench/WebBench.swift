import Foundation
import WebText

// How long a page takes from its bytes to lines. All of it happens off the main actor in nerdfeed.
//
//     swift run -c release WebBench [KILOBYTES]

let size = (CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1000) * 1000
var page = "<!DOCTYPE html><html><head><meta charset=utf-8><title>Bench</title></head><body>"
var number = 0
while page.utf8.count < size {
    number += 1
    page += """
        <h2 id=s\(number)>Section \(number)</h2><p>Some words with <em>emphasis</em>, a <a \
        href="/page/\(number)">link to another page</a> and <code>code()</code>, long enough that they \
        have to be wrapped more than once, with ünïcode and 漢字 in between.</p><ul><li>One</li><li>Two \
        <b>strong</b></li></ul><table><tr><th>Day</th><th>What</th></tr><tr><td>\(number)</td><td>Actors \
        and isolation</td></tr></table><pre>let x = \(number)\n</pre>
        """
}
let bytes = Array(page.utf8)

func report(_ what: String, _ body: () -> Void) {
    let times = (0..<9).map { _ in ContinuousClock().measure(body) / .milliseconds(1) }.sorted()
    print(
        "\(what): \((times[4] * 10).rounded() / 10) ms, at most \((times[8] * 10).rounded() / 10) ms"
    )
}

var document = WebDocument()
var layout = WebLayout(document, width: 80)
report("\(bytes.count / 1000) KB read") { document = HTMLParser.parse(bytes, charset: "utf-8") }
// What a person waits for after the last byte; the rest of the lines comes behind it.
report("\(bytes.count / 1000) KB shown") {
    document = HTMLParser.parse(bytes, charset: "utf-8")
    layout = WebLayout(document, width: 80, blockLimit: 300)
}
report("laid out, 80 columns") { layout = WebLayout(document, width: 80) }
let search = WebTextSearch(layout)
report("words found") { _ = search.matches(of: "isolation") }
print("\(layout.lines.count) lines, \(document.links.count) links")
