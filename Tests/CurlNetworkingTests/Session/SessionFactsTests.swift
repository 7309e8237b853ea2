import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

@Suite(.timeLimit(.minutes(1))) struct SessionFactsTests {
    @Test func aSessionRemembersItsDescription() {
        let session = makeSession()
        #expect(session.sessionDescription == nil)
        session.sessionDescription = "pictures"
        #expect(session.sessionDescription == "pictures")
    }

    @Test func tasksAreListedByKind() async throws {
        let server = try LoopbackServer { _ in [.stall] }
        let session = makeSession()
        let request = URLRequest(url: server.url())
        let data = session.dataTask(with: request)
        var put = request
        put.httpMethod = "PUT"
        let upload = session.uploadTask(with: put, from: Data("x".utf8))
        let download = session.downloadTask(with: request)
        for task in [data, upload, download] { task.resume() }
        _ = session.dataTask(with: request)  // was not resumed
        let (dataTasks, uploadTasks, downloadTasks) = await session.tasks
        #expect(dataTasks == [data])
        #expect(uploadTasks == [upload])
        #expect(downloadTasks == [download])
        session.invalidateAndCancel()
    }

    @Test func aGroupHasOneCookieStorageInAFolderOfItsOwn() {
        let name = "club.byte.test"
        let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: name)
        #expect(
            HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: name) === storage)
        #expect(storage !== HTTPCookieStorage.shared)
        #expect(storage.filePath == ProgramFolders.dataHome.map { $0 + "/club.byte.test/cookies" })
    }

    @Test(arguments: [("..", nil), ("a/../b", "/a_.._b/cookies"), ("", nil)])
    func aGroupsNameLeadsNowhereElse(name: String, end: String?) {
        let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: name)
        #expect(storage.filePath == end.flatMap { end in ProgramFolders.dataHome.map { $0 + end } })
    }

    @Test(arguments: [
        (200, "no error"), (404, "not found"), (418, "client error"), (503, "service unavailable"),
        (599, "server error"), (103, "informational"), (299, "success"), (399, "redirected"),
    ])
    func aStatusHasAMeaningInWords(status: Int, words: String) {
        #expect(HTTPURLResponse.localizedString(forStatusCode: status) == words)
    }
}
