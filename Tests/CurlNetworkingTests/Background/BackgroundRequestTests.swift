import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CurlNetworking

/// What a request and its task say beyond the message, and what the helper reports of them.
@Suite(.timeLimit(.minutes(2))) struct BackgroundRequestTests {
    // MARK: - Requests

    @Test func allThatARequestSaysComesThrough() throws {
        let url = try #require(URL(string: "https://a.test/x"))
        let plain = try #require(BackgroundTaskRecord.Request(URLRequest(url: url)))
        #expect(plain.options == nil)
        #expect(plain.request == URLRequest(url: url))
        for change in Self.changes {
            var request = URLRequest(url: url)
            change(&request)
            let made = try #require(BackgroundTaskRecord.Request(request))
            let data = try JSONEncoder().encode(made)
            let read = try JSONDecoder().decode(BackgroundTaskRecord.Request.self, from: data)
            #expect(read == made)
            #expect(read.request == request)
            #expect(read.request != URLRequest(url: url))
        }
    }

    private static let changes: [@Sendable (inout URLRequest) -> Void] = [
        { $0.httpShouldHandleCookies = false }, { $0.allowsCellularAccess = false },
        { $0.allowsExpensiveNetworkAccess = false }, { $0.allowsConstrainedNetworkAccess = false },
        { $0.assumesHTTP3Capable = true }, { $0.timeoutInterval = 7 },
        { $0.mainDocumentURL = URL(string: "https://b.test/") },
        { $0.cachePolicy = .reloadIgnoringLocalCacheData },
    ]

    @Test(arguments: [true, false])
    func cookiesAreSentOnlyWithWhatMayHaveThem(handlesCookies: Bool) async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let file = URL(filePath: home.path(of: "cookies"))
        let storage = HTTPCookieStorage(fileURL: file)
        storage.receive(["one=1; max-age=60"], from: server.url(), mainDocumentURL: nil)
        storage.flush()
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) { $0.httpCookieStorage = storage }
        var request = URLRequest(url: server.url())
        request.httpShouldHandleCookies = handlesCookies
        session.downloadTask(with: request).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(server.requests.map { $0["Cookie"] } == [handlesCookies ? "one=1" : nil])
    }

    // MARK: - A date to begin at

    @Test func aTaskDoesNotBeginBeforeItsDate() async throws {
        let home = try BackgroundHome()
        let dates = Mutex<[Date]>([])
        let server = try LoopbackServer { _ in
            dates.withLock { $0.append(.now) }
            return [.answer(body: "x")]
        }
        let delegate = RecordingDelegate()
        // The time until then does not count.
        let session = home.session("test", delegate) { $0.timeoutIntervalForResource = 2 }
        let date = Date.now.addingTimeInterval(2.5)
        let task = session.downloadTask(with: server.url())
        task.earliestBeginDate = date
        task.resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("x".utf8)])
        let first = dates.withLock(\.first)
        let begun = try #require(first)
        #expect(begun.timeIntervalSince(date) > -0.001)
        #expect(!delegate.calls.contains("delayed"))
    }

    @Test func theDateIsKeptByTheNextHelper() async throws {
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) { $0.httpMaximumConnectionsPerHost = 1 }
        let date = Date.now.addingTimeInterval(3600)
        let later = session.downloadTask(with: server.url("/later"))
        later.earliestBeginDate = date
        later.resume()
        await session.background?.calm()
        let begin = try #require(home.records.first?.earliestBeginDate)
        #expect(abs(begin.timeIntervalSince(date)) < 0.001)
        await BackgroundHome.kill(try #require(home.helpers.first))
        // It has one connection, which the earlier task would take first.
        session.downloadTask(with: server.url("/now")).resume()
        await delegate.completion()
        #expect(server.requests.map(\.target) == ["/now"])
        #expect(later.state == .running)
        later.cancel()
        await delegate.completion(of: 2)
        #expect(delegate.error?.code == .cancelled)
    }

    @Test func onlyTheFirstAttemptWaitsForItsDate() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func makeRecord(_ begin: Date?) -> BackgroundTaskRecord {
            BackgroundTaskRecord(
                number: 1, session: "test", kind: .download(resumeData: nil),
                request: .init(url: "https://a.test/x", method: "GET", fields: []),
                created: 1_800_000_000, earliestBegin: begin)
        }
        #expect(makeRecord(nil).delay(at: now) == 0)
        #expect(makeRecord(now.addingTimeInterval(-9)).delay(at: now) == 0)
        #expect(makeRecord(.distantFuture).isSound)
        var record = makeRecord(now.addingTimeInterval(9))
        #expect(record.delay(at: now) == 9)
        #expect(record.deadline == 1_800_000_009 + record.settings.resourceTimeout)
        #expect(record.apply(.start) == .applied)
        #expect(record.apply(.interrupt) == .applied)
        #expect(record.delay(at: now) == 0)
    }

    // MARK: - What the helper writes down

    @Test func theLogQuotesNoErrors() async throws {
        let failed = BackgroundTaskRecord.State.failed(
            code: -1, text: "no way to https://hush.test/", resumeData: nil)
        #expect(failed.summary == "failed with -1")
        let home = try BackgroundHome()
        let server = try LoopbackServer { _ in [.answer()] }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        var request = URLRequest(url: server.url("/hush"))
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: URL(filePath: home.path(of: "hush"))).resume()
        await delegate.completion()
        #expect(delegate.error?.code == .fileDoesNotExist)
        #expect(delegate.error?.underlyingText?.contains("hush") == true)
        #expect(home.log.contains("is over: failed with"))
        #expect(!home.log.contains("hush"))
    }

    @Test func theHelperTracesIntoTheFileOfItsProgram() async throws {
        let home = try BackgroundHome()
        let file = home.path(of: "trace")
        let environment = home.environment.merging(["CURLNETWORKING_TRACE": file]) { $1 }
        let configuration = URLSessionConfiguration.background(
            withIdentifier: "test", environment: environment)
        configuration.timeoutIntervalForResource = 60
        let server = try LoopbackServer { _ in [.answer(body: "x")] }
        let delegate = RecordingDelegate()
        let session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: nil)
        session.downloadTask(with: server.url("/traced")).resume()
        await delegate.completion()
        let helper = try #require(home.helpers.first)
        try await eventually("the helper's lines", in: URL(filePath: home.path)) {
            let lines = FileManager.default.contents(atPath: file) ?? Data()
            return String(decoding: lines, as: UTF8.self).split(separator: "\n")
                .contains {
                    $0.contains(" \(helper) ") && $0.contains("GET \(server.url("/traced"))")
                }
        }
    }

    @Test(
        arguments: [
            ("trace.log", FileManager.default.currentDirectoryPath + "/trace.log"),
            ("/t/x", "/t/x"),
            ("-", nil), ("", nil),
        ] as [(String, String?)])
    func theFileForTracesIsTheSameFromEveryFolder(path: String, passed: String?) {
        let fitting = BackgroundEnvironment.fitting(["CURLNETWORKING_TRACE": path])
        #expect(fitting["CURLNETWORKING_TRACE"] == passed)
    }
}
