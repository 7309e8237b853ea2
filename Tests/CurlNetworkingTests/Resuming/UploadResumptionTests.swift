import Foundation
import Testing

@testable import CurlNetworking

@Suite struct UploadResumptionTests {
    private let lost = URLError(.networkConnectionLost)

    @Test func aServerThatKnowsNothingOfItSeesAUsualUpload() throws {
        var upload = try makeUpload()
        let step = try #require(upload.step)
        #expect(step.request.httpMethod == "POST")
        #expect(step.request.value(forHTTPHeaderField: "Upload-Complete") == "?1")
        #expect(step.request.value(forHTTPHeaderField: "Upload-Draft-Interop-Version") == "6")
        #expect(step.request.value(forHTTPHeaderField: "Content-Type") == "image/jpeg")
        #expect(step.bodyOffset == 0)
        #expect(upload.take(head(200)) == .deliver)
        #expect(upload.step == nil)
        #expect(upload.resumeData == nil)
    }

    @Test func withoutA104ALossIsALoss() throws {
        var upload = try makeUpload()
        #expect(upload.takeLoss(lost) == .fail(lost))
    }

    @Test func goesOnWhereTheServerStopped() throws {
        var upload = try makeUpload()
        upload.take(interim: head(104, "Location: /up/1"))
        #expect(upload.takeLoss(lost) == .send)
        let asking = try #require(upload.step)
        #expect(asking.request.httpMethod == "HEAD")
        #expect(asking.request.url?.absoluteString == "https://a.test/up/1")
        #expect(asking.request.value(forHTTPHeaderField: "Authorization") == "Bearer t")
        #expect(asking.request.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(asking.request.value(forHTTPHeaderField: "Upload-Complete") == nil)
        #expect(asking.bodyOffset == nil)
        #expect(upload.take(head(204, "Upload-Offset: 60 | Upload-Complete: ?0")) == .send)
        let rest = try #require(upload.step)
        #expect(rest.request.httpMethod == "PATCH")
        #expect(rest.request.value(forHTTPHeaderField: "Upload-Offset") == "60")
        #expect(rest.request.value(forHTTPHeaderField: "Upload-Complete") == "?1")
        #expect(
            rest.request.value(forHTTPHeaderField: "Content-Type") == "application/partial-upload")
        #expect(rest.bodyOffset == 60)
        #expect(upload.take(head(200)) == .deliver)
    }

    @Test func aWrongOffsetIsAskedAboutAgain() throws {
        var upload = try makeAppending(from: 60)
        #expect(upload.take(head(409)) == .send)
        #expect(upload.step?.request.httpMethod == "HEAD")
        #expect(upload.take(head(204, "Upload-Offset: 50")) == .send)
        #expect(upload.step?.bodyOffset == 50)
    }

    @Test func anAnswerThatWasLostIsNotSentForAgain() throws {
        var upload = try makeAppending(from: 60)
        #expect(upload.takeLoss(lost) == .send)
        #expect(
            upload.take(head(204, "Upload-Offset: 100 | Upload-Complete: ?1"))
                == .deliverWithoutBody)
        #expect(upload.step == nil)
    }

    @Test(
        arguments: [
            "404", "410", "403", "204", "204 Upload-Offset: -1", "204 Upload-Offset: 101",
            "204 Upload-Offset: x", "204 Upload-Offset: 1e1",
            "200 Upload-Offset: 9999999999999999999",
        ])
    func aForgottenUploadStartsOverOnce(answer: String) throws {
        var upload = try makeUpload()
        upload.take(interim: head(104, "Location: /up/1"))
        _ = upload.takeLoss(lost)
        #expect(upload.take(parse(answer)) == .send)
        #expect(upload.step?.request.httpMethod == "POST")
        #expect(upload.step?.bodyOffset == 0)
        upload.take(interim: head(104, "Location: /up/2"))
        _ = upload.takeLoss(lost)
        #expect(upload.step?.request.url?.absoluteString == "https://a.test/up/2")
        guard case .fail = upload.take(parse(answer)) else {
            Issue.record("started over twice")
            return
        }
        #expect(upload.step == nil)
    }

    @Test(arguments: [("POST", false), ("PATCH", false), ("PUT", true)])
    func aForgottenUploadThatMayBeDoneStartsOverOnlyIfThatDoesNoHarm(
        method: String, startsOver: Bool
    ) throws {
        let url = try #require(URL(string: "https://a.test/files"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        var upload = UploadResumption(request, byteCount: 100)
        upload.take(interim: head(104, "Location: /up/1"))
        #expect(upload.takeLoss(lost, hasSentAll: true) == .send)
        let decision = upload.take(head(404))
        #expect((decision == .send) == startsOver)
        #expect(upload.step?.request.httpMethod == (startsOver ? method : nil))
    }

    /// Also where the resume data does not say it, as that of earlier versions.
    @Test(
        arguments: [
            ("POST", true, false), ("POST", false, true), ("PATCH", true, false),
            ("PUT", true, true),
        ])
    func whatMayBeDoneIsInTheResumeData(
        method: String, mayBeDone: Bool, startsOver: Bool
    ) throws {
        let url = try #require(URL(string: "https://a.test/files"))
        var request = URLRequest(url: url)
        request.httpMethod = method
        var first = UploadResumption(request, byteCount: 100)
        first.take(interim: head(104, "Location: /up/1"))
        #expect(first.takeLoss(lost, hasSentAll: mayBeDone) == .send)
        let data = try UploadResumeData(blob: try #require(first.resumeData).blob)
        var later = UploadResumption(data, request: request)
        #expect(later.resumeData == first.resumeData)
        #expect((later.take(head(404)) == .send) == startsOver)
    }

    @Test func resumeDataThatDoesNotSayItIsTakenToBeOfWhatMayBeDone() throws {
        let payload = Data(#"{"location":"https:\/\/a.test\/up\/1","byteCount":100}"#.utf8)
        let data = try UploadResumeData(blob: ChecksummedRecord.seal(payload, as: .upload))
        var upload = UploadResumption(data, request: try makeRequest())
        guard case .fail = upload.take(head(404)) else {
            Issue.record("a POST was sent again")
            return
        }
    }

    @Test func completeButShortIsAFailure() throws {
        var upload = try makeUpload()
        upload.take(interim: head(104, "Location: /up/1"))
        _ = upload.takeLoss(lost)
        guard case .fail = upload.take(head(204, "Upload-Offset: 60 | Upload-Complete: ?1")) else {
            Issue.record("took an upload for whole that is not")
            return
        }
    }

    @Test func givesUpWhenNothingMoves() throws {
        var upload = try makeAppending(from: 60)
        var losses = 0
        while upload.takeLoss(lost) == .send, losses < 100 {
            losses += 1
            _ = upload.take(head(204, "Upload-Offset: 60"))
        }
        #expect(losses == UploadResumption.maximumAttempts)
        #expect(upload.resumeData != nil)
    }

    @Test func whatWasThereBeforeIsNoProgress() throws {
        var upload = try makeAppending(from: 60)
        var rounds = 0
        while upload.take(head(409)) == .send {
            rounds += 1
            try #require(rounds < 10)
            #expect(upload.take(head(204, "Upload-Offset: \(50 + rounds % 2 * 10)")) == .send)
        }
        #expect(rounds == UploadResumption.maximumAttempts)
    }

    @Test func goesOnAsLongAsSomethingMoves() throws {
        var upload = try makeAppending(from: 1)
        for offset in 2...99 {
            #expect(upload.takeLoss(lost) == .send)
            #expect(upload.take(head(204, "Upload-Offset: \(offset)")) == .send)
            #expect(upload.step?.bodyOffset == Int64(offset))
        }
    }

    @Test(
        arguments: [
            "https://elsewhere.test/up", "http://a.test/up", "file:///etc/passwd", "//b.test/",
            "https://a.test:444/",
        ])
    func theRestGoesNowhereElse(location: String) throws {
        var upload = try makeUpload()
        upload.take(interim: head(104, "Location: " + location))
        #expect(upload.location == nil)
        #expect(upload.takeLoss(lost) == .fail(lost))
    }

    @Test func theURLOfTheUploadIsEscapedOnce() throws {
        var upload = try makeUpload()
        upload.take(interim: head(104, "Location: /a%20b é"))
        #expect(upload.location?.absoluteString.hasSuffix("/a%20b%20%C3%A9") == true)
    }

    @Test(arguments: [100, 102, 103])
    func otherInterimAnswersSayNothing(status: Int) throws {
        var upload = try makeUpload()
        upload.take(interim: head(status, "Location: /up/1"))
        #expect(upload.location == nil)
    }

    @Test func aLaterTaskGoesOn() throws {
        var first = try makeUpload()
        first.take(interim: head(104, "Location: /up/1"))
        let data = try #require(first.resumeData)
        var later = UploadResumption(
            try UploadResumeData(blob: data.blob), request: try makeRequest())
        #expect(later.step?.request.httpMethod == "HEAD")
        #expect(later.take(head(204, "Upload-Offset: 10")) == .send)
        #expect(later.step?.bodyOffset == 10)
    }

    // MARK: -

    private func makeRequest() throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://a.test/photos")))
        request.httpMethod = "POST"
        request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
        return request
    }

    private func makeUpload() throws -> UploadResumption {
        UploadResumption(try makeRequest(), byteCount: 100)
    }

    private func makeAppending(from offset: Int) throws -> UploadResumption {
        var upload = try makeUpload()
        upload.take(interim: head(104, "Location: /up/1"))
        _ = upload.takeLoss(lost)
        _ = upload.take(head(204, "Upload-Offset: \(offset)"))
        return upload
    }

    private func parse(_ text: String) -> ResponseHead {
        head(Int(text.prefix(3)) ?? 0, String(text.dropFirst(4)))
    }

    private func head(_ status: Int, _ fields: String = "") -> ResponseHead {
        var head = ResponseHead(status: status)
        for field in fields.split(separator: " | ") {
            let parts = field.split(separator: ": ", maxSplits: 1)
            head.headers[String(parts[0])] = String(parts[1])
        }
        return head
    }
}
