import CurlNetworking
import CurlNetworkingHTTPTypes
import Foundation
import HTTPTypes

// streaming AUTHORITY PATH: sends what comes on standard input, line by line, and prints what the server says meanwhile.

guard CommandLine.arguments.count == 3 else {
    print("usage: streaming AUTHORITY PATH")
    exit(2)
}
let request = HTTPRequest(
    method: .post, scheme: "http", authority: CommandLine.arguments[1],
    path: CommandLine.arguments[2])
let lines = AsyncStream<String> { continuation in
    Thread.detachNewThread {
        while let line = readLine(strippingNewline: false) { continuation.yield(line) }
        continuation.finish()
    }
}
do {
    let (response, body) = try await URLSession.shared.send(
        request,
        body: .written { writer in
            var count = 0
            for await line in lines {
                try await writer.write(line.utf8)
                count += 1
            }
            return HTTPField.Name("X-Line-Count").map { [$0: "\(count)"] }
        })
    print("status:", response.status.code)
    for try await piece in body { print(String(decoding: piece, as: UTF8.self), terminator: "") }
    for field in body.trailers ?? [:] { print("trailer:", field.name, field.value) }
} catch {
    print("failed:", error)
    exit(1)
}
