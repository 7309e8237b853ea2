import CurlNetworking
import Foundation
import Testing

/// A file as a Foundation program has it: both modules imported whole, every name unqualified.
@Suite struct BesideFoundationTests {
    @Test func urlErrorIsOursBesideAllOfFoundation() {
        let error = URLError(.timedOut)
        #expect(type(of: error) == CurlNetworking.URLError.self)
        #expect((error as any Error) as? URLError == error)
    }

    @Test func anErrorIsCaughtByItsCode() {
        #expect(throws: URLError.self) {
            do { throw URLError(.cannotFindHost) } catch URLError.timedOut {}
        }
        do { throw URLError(.timedOut) } catch URLError.timedOut {} catch {
            Issue.record("\(error)")
        }
    }

    @Test func anErrorsUserInfoHasApplesKeys() throws {
        let url = try #require(URL(string: "http://a.test/b"))
        let error = URLError(
            .timedOut,
            userInfo: [
                NSURLErrorFailingURLErrorKey: url, "NSURLSessionDownloadTaskResumeData": Data([1]),
                "mine": 7,
            ])
        #expect(error.failingURL == url)
        #expect(error.failureURLString == "http://a.test/b")
        #expect(error.downloadTaskResumeData == Data([1]))
        #expect(error.uploadTaskResumeData == nil)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == "http://a.test/b")
        #expect(error.userInfo["mine"] as? Int == 7)
        #expect(
            error.userInfo[NSLocalizedDescriptionKey] as? String == error.localizedDescription)
    }

    @Test func asAnNSErrorItHasApplesDomainAndCodeAndOurSentence() {
        let error = URLError(.cannotConnectToHost) as any Error as NSError
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == NSURLErrorCannotConnectToHost)
        #expect(error.localizedDescription == "The server could not be reached.")
    }

    @Test func asAnNSErrorItHasItsUserInfoUnderApplesKeys() throws {
        let url = try #require(URL(string: "http://a.test/b"))
        let cause = URLError(.cannotWriteToFile)
        let info =
            (URLError(
                .networkConnectionLost,
                userInfo: [
                    NSURLErrorFailingURLErrorKey: url,
                    NSURLSessionDownloadTaskResumeData: Data([1]),
                    NSUnderlyingErrorKey: cause as any Error,
                ]) as any Error as NSError).userInfo
        #expect(info[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(info["NSErrorFailingURLStringKey"] as? String == "http://a.test/b")
        #expect(info[NSURLSessionDownloadTaskResumeData] as? Data == Data([1]))
        #expect(info[NSUnderlyingErrorKey] as? URLError == cause)
        let other = URLError(
            .cancelled,
            userInfo: [
                "NSURLSessionUploadTaskResumeData": Data([2]),
                "NSURLErrorBackgroundTaskCancelledReasonKey": 1,
            ])
        let otherInfo = (other as any Error as NSError).userInfo
        #expect(otherInfo["NSURLSessionUploadTaskResumeData"] as? Data == Data([2]))
        #expect(otherInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] as? Int == 1)
    }

    @Test func anErrorMaySayWhyABackgroundTaskWasEnded() {
        let key = "NSURLErrorBackgroundTaskCancelledReasonKey"
        #expect(
            URLError(.cancelled, userInfo: [key: 1]).backgroundTaskCancelledReason
                == .backgroundUpdatesDisabled)
        #expect(URLError(.cancelled).backgroundTaskCancelledReason == nil)
    }

    @Test func anErrorSeenAsAnyErrorHasTheSameSentence() {
        let error: any Error = URLError(.notConnectedToInternet)
        #expect(error.localizedDescription == "There is no network connection.")
    }
}
