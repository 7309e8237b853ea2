import CurlNetworking
import Foundation

// An upload with progress, a resumed download and a Digest log-in, against the server at the URL given.
let server = URL(string: CommandLine.arguments[1])!

final class Watcher: NSObject, URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        print("sent \(totalBytesSent) of \(totalBytesExpectedToSend)")
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.useCredential, URLCredential(user: "byte", password: "club", persistence: .forSession))
    }
}
let session = URLSession(configuration: .default, delegate: Watcher(), delegateQueue: nil)

var request = URLRequest(url: server.appending(path: "upload"))
request.httpMethod = "PUT"
let (_, created) = try await session.upload(for: request, from: Data(repeating: 7, count: 3 << 20))
print("upload: \((created as! HTTPURLResponse).statusCode)")

let download = session.downloadTask(with: server.appending(path: "file")) { _, _, _ in }
download.resume()
while download.countOfBytesReceived == 0 { try await Task.sleep(for: .milliseconds(5)) }
let position = await download.cancelByProducingResumeData()!
let (file, rest) = try await session.download(resumeFrom: position)
let size = try FileManager.default.attributesOfItem(atPath: file.path())[.size]!
print("download: \((rest as! HTTPURLResponse).statusCode), \(size) bytes in the end")

let lost: any Error = URLError(.networkConnectionLost, userInfo: [NSURLSessionDownloadTaskResumeData: position])
print("error: \((lost as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data == position)")

let (secret, _) = try await session.data(from: server.appending(path: "secret"))
print("log-in: \(String(decoding: secret, as: UTF8.self))")
