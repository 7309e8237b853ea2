import Foundation
import Synchronization
import Testing

@testable import CurlNetworking

@Suite struct URLCacheTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "cache-\(UUID().uuidString)")
    private let lots = 200 << 20
    private let urls = ["https://a.test/", "https://b.test/", "https://c.test/"]

    private func withFolder(_ body: () throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body()
    }

    private func makeCache(memory: Int, disk: Int) -> URLCache {
        URLCache(memoryCapacity: memory, diskCapacity: disk, diskPath: folder.path)
    }

    private func makePair(
        _ url: String, byteCount: Int = 2048, fill: UInt8 = 0, fields: [String: String] = [:],
        policy: URLCache.StoragePolicy = .allowed
    ) throws -> (URLRequest, CachedURLResponse) {
        let url = try #require(URL(string: url))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        let data = Data(repeating: fill, count: byteCount)
        return (
            URLRequest(url: url),
            CachedURLResponse(response: response, data: data, storagePolicy: policy)
        )
    }

    private func fileNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    @Test(arguments: [(1, 0), (0, 1), (1, 1)])
    func givesBackWhatWasStored(memory: Int, disk: Int) throws {
        try withFolder {
            let cache = makeCache(memory: memory * lots, disk: disk * lots)
            let (request, response) = try makePair(
                urls[0] + "?q#fragment", fields: ["ETag": "\"1\"", "Content-Type": "text/plain"])
            cache.storeCachedResponse(response, for: request)
            #expect(cache.cachedResponse(for: request) == response)
            let bare = URLRequest(url: try #require(URL(string: urls[0] + "?q")))
            #expect(cache.cachedResponse(for: bare)?.data == response.data)
            #expect(
                cache.cachedResponse(for: URLRequest(url: try #require(URL(string: urls[0]))))
                    == nil)
            #expect(try fileNames().count == disk)
            #expect((cache.currentDiskUsage > 2048) == (disk == 1))
            #expect((cache.currentMemoryUsage > 2048) == (memory == 1))
        }
    }

    @Test func userInfoOutlivesTheProcessAsFarAsAPropertyListGoes() throws {
        try withFolder {
            let (request, plain) = try makePair(urls[0])
            let date = Date(timeIntervalSinceReferenceDate: 0.1)
            let response = CachedURLResponse(
                response: plain.response, data: plain.data,
                userInfo: [
                    "text": "a", "number": 7, "flag": true, "data": Data([1]), "date": date,
                    "list": ["b", 1.5] as [Any], "own": NSObject(), 3: "no string",
                ], storagePolicy: .allowed)
            makeCache(memory: 0, disk: lots).storeCachedResponse(response, for: request)
            let found = try #require(
                makeCache(memory: lots, disk: lots).cachedResponse(for: request)?.userInfo)
            #expect(Set(found.keys) == ["text", "number", "flag", "data", "date", "list"])
            #expect(found["text"] as? String == "a")
            #expect(found["number"] as? Int == 7)
            #expect(found["flag"] as? Bool == true)
            #expect(found["data"] as? Data == Data([1]))
            #expect(found["date"] as? Date == date)
            #expect((found["list"] as? [Any])?.last as? Double == 1.5)
        }
    }

    @Test func outlivesTheProcessForThisUserAlone() throws {
        try withFolder {
            let (request, response) = try makePair(urls[0], fill: 7)
            let inner = folder.appending(path: "new/folder")
            URLCache(memoryCapacity: lots, diskCapacity: lots, directory: inner)
                .storeCachedResponse(response, for: request)
            let again = URLCache(memoryCapacity: 0, diskCapacity: lots, directory: inner)
            #expect(again.cachedResponse(for: request) == response)
            let mode = { (path: String) in
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(inner.path) == 0o700)
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: inner.path).first)
            #expect(try mode(inner.path + "/" + name) == 0o600)
        }
    }

    @Test func obeysTheStoragePolicy() throws {
        try withFolder {
            let cache = makeCache(memory: lots, disk: lots)
            let (request, secret) = try makePair(urls[0], policy: .allowedInMemoryOnly)
            let (_, usual) = try makePair(urls[0])
            let (_, forbidden) = try makePair(urls[0], policy: .notAllowed)
            cache.storeCachedResponse(usual, for: request)
            #expect(try fileNames().count == 1)
            cache.storeCachedResponse(secret, for: request)
            #expect(try fileNames().isEmpty)
            #expect(cache.cachedResponse(for: request) == secret)
            cache.storeCachedResponse(forbidden, for: request)
            #expect(cache.cachedResponse(for: request) == nil)
        }
    }

    @Test func smallerCapacitiesEvict() throws {
        try withFolder {
            let cache = makeCache(memory: lots, disk: lots)
            let pairs = try urls.map { try makePair($0) }
            for (request, response) in pairs { cache.storeCachedResponse(response, for: request) }
            #expect(try fileNames().count == 3)
            cache.diskCapacity = 0
            #expect(try fileNames().isEmpty)
            for (request, _) in pairs { #expect(cache.cachedResponse(for: request) != nil) }
            cache.memoryCapacity = 0
            for (request, _) in pairs { #expect(cache.cachedResponse(for: request) == nil) }
            #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
        }
    }

    @Test(arguments: [true, false])
    func evictsWhatWasNotUsedForLongest(inMemory: Bool) throws {
        try withFolder {
            let cache = makeCache(memory: inMemory ? 10_000 : 0, disk: inMemory ? 0 : 10_000)
            let pairs = try (urls + ["https://d.test/"]).map { try makePair($0, byteCount: 2800) }
            for (request, response) in pairs.prefix(3) {
                cache.storeCachedResponse(response, for: request)
            }
            #expect(cache.cachedResponse(for: pairs[0].0) != nil)
            cache.storeCachedResponse(pairs[3].1, for: pairs[3].0)
            #expect(
                pairs.map { cache.cachedResponse(for: $0.0) != nil } == [true, false, true, true])
            #expect(cache.currentMemoryUsage + cache.currentDiskUsage <= 10_000)
        }
    }

    @Test func whatIsTooLargeIsNotKeptAndReplacesTheOld() throws {
        try withFolder {
            let cache = makeCache(memory: 5000, disk: 8000)
            let (request, small) = try makePair(urls[0])
            cache.storeCachedResponse(small, for: request)
            cache.storeCachedResponse(try makePair(urls[0], byteCount: 9000).1, for: request)
            #expect(cache.cachedResponse(for: request) == nil)
        }
    }

    @Test func removesOneSomeAndAll() throws {
        try withFolder {
            let now = Mutex(Date(timeIntervalSince1970: 1000))
            let cache = URLCache(
                memoryCapacity: 0, diskCapacity: lots, folder: folder.path,
                clock: { now.withLock { $0 } })
            let pairs = try urls.map { try makePair($0) }
            for (request, response) in pairs {
                cache.storeCachedResponse(response, for: request)
                now.withLock { $0 += 10 }
            }
            cache.removeCachedResponse(for: pairs[2].0)
            #expect(pairs.map { cache.cachedResponse(for: $0.0) != nil } == [true, true, false])
            cache.removeCachedResponses(since: Date(timeIntervalSince1970: 1005))
            #expect(pairs.map { cache.cachedResponse(for: $0.0) != nil } == [true, false, false])
            cache.removeAllCachedResponses()
            #expect(try fileNames().isEmpty)
            #expect(cache.currentDiskUsage == 0)
        }
    }

    @Test func keepsVariantsApart() throws {
        try withFolder {
            let cache = makeCache(memory: 0, disk: lots)
            for (index, language) in ["en", "de"].enumerated() {
                var (request, response) = try makePair(
                    urls[0], fill: UInt8(index), fields: ["Vary": "Accept-Language"])
                request.setValue(language, forHTTPHeaderField: "accept-language")
                cache.storeCachedResponse(response, for: request)
            }
            #expect(try fileNames().count == 2)
            var (request, _) = try makePair(urls[0])
            #expect(cache.cachedResponse(for: request) == nil)
            request.setValue("en", forHTTPHeaderField: "Accept-Language")
            #expect(cache.cachedResponse(for: request)?.data.first == 0)
            cache.removeCachedResponse(for: request)
            #expect(try fileNames().isEmpty)
        }
    }

    @Test(arguments: [0, 9, 20, 30, 45, 60, 100, 200, 2000])
    func aDamagedFileIsAMiss(flipped: Int) throws {
        try withFolder {
            let (request, response) = try makePair(
                urls[0], fields: ["X-Long": String(repeating: "x", count: 99)])
            makeCache(memory: 0, disk: lots).storeCachedResponse(response, for: request)
            let path = folder.appending(path: try #require(try fileNames().first))
            var bytes = try Data(contentsOf: path)
            bytes[flipped] ^= 0x10
            try bytes.write(to: path)
            let cache = makeCache(memory: lots, disk: lots)
            #expect(cache.cachedResponse(for: request) == nil)
            #expect(try fileNames().isEmpty)
            #expect(cache.currentDiskUsage == 0)
            cache.storeCachedResponse(response, for: request)
            #expect(cache.cachedResponse(for: request) == response)
        }
    }

    @Test(arguments: [0, 1, 47, 48, 100, 2000])
    func aFileCutOffIsAMiss(byteCount: Int) throws {
        try withFolder {
            let (request, response) = try makePair(urls[0])
            makeCache(memory: 0, disk: lots).storeCachedResponse(response, for: request)
            let path = folder.appending(path: try #require(try fileNames().first))
            try Data(contentsOf: path).prefix(byteCount).write(to: path)
            #expect(makeCache(memory: 0, disk: lots).cachedResponse(for: request) == nil)
        }
    }

    @Test func aFileUnderAnotherUrlsNameIsAMiss() throws {
        try withFolder {
            let (request, response) = try makePair(urls[0])
            let (other, _) = try makePair(urls[1])
            makeCache(memory: 0, disk: lots).storeCachedResponse(response, for: request)
            let name = try #require(try fileNames().first)
            let key = try #require(CacheKey(other.url))
            let wrong = key.fileNamePrefix + name.dropFirst(17)
            try FileManager.default.moveItem(
                at: folder.appending(path: name), to: folder.appending(path: wrong))
            #expect(makeCache(memory: 0, disk: lots).cachedResponse(for: other) == nil)
        }
    }

    @Test func leavesForeignFilesAndClearsOldScratchFilesAway() throws {
        try withFolder {
            let path = { (name: String) in folder.appending(path: name) }
            let old = UUID().uuidString + ".new"
            let young = UUID().uuidString + ".new"
            for name in [old, young, "notes.new", "notes.txt"] {
                try Data([1]).write(to: path(name))
            }
            for name in [old, "notes.new"] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -7200)],
                    ofItemAtPath: path(name).path)
            }
            let cache = makeCache(memory: 0, disk: lots)
            #expect(cache.currentDiskUsage == 0)
            cache.removeAllCachedResponses()
            #expect(Set(try fileNames()) == [young, "notes.new", "notes.txt"])
        }
    }

    @Test func followsNoLinkOutOfItsFolder() throws {
        try withFolder {
            let (request, response) = try makePair(urls[0])
            makeCache(memory: 0, disk: lots).storeCachedResponse(response, for: request)
            let name = try #require(try fileNames().first)
            let outside = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: outside) }
            try FileManager.default.moveItem(at: folder.appending(path: name), to: outside)
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: name), withDestinationURL: outside)
            let cache = makeCache(memory: 0, disk: lots)
            #expect(cache.cachedResponse(for: request) == nil)
            cache.storeCachedResponse(response, for: request)
            cache.removeAllCachedResponses()
            #expect(FileManager.default.fileExists(atPath: outside.path))
        }
    }

    @Test func aFolderThatGoesAwayIsNoHarm() throws {
        try withFolder {
            let cache = makeCache(memory: 0, disk: lots)
            let (request, response) = try makePair(urls[0])
            cache.storeCachedResponse(response, for: request)
            try FileManager.default.removeItem(at: folder)
            #expect(cache.cachedResponse(for: request) == nil)
            cache.storeCachedResponse(response, for: request)
            #expect(cache.cachedResponse(for: request) == response)
        }
    }

    @Test func answersThatAreNotHTTPStayInMemory() throws {
        try withFolder {
            let cache = makeCache(memory: lots, disk: lots)
            let url = try #require(URL(string: urls[0]))
            let response = URLResponse(
                url: url, mimeType: "text/plain", expectedContentLength: 1, textEncodingName: nil)
            let cached = CachedURLResponse(
                response: response, data: Data([1]), userInfo: ["key": "value"],
                storagePolicy: .allowed)
            cache.storeCachedResponse(cached, for: URLRequest(url: url))
            #expect(try fileNames().isEmpty)
            #expect(
                cache.cachedResponse(for: URLRequest(url: url))?.userInfo?["key"] as? String
                    == "value")
        }
    }

    /// The usual way to switch caching off has no folder of its own: it is that of the shared cache.
    @Test func aCacheWithoutDiskLeavesTheFolderAlone() throws {
        try withFolder {
            let (request, response) = try makePair(urls[0])
            makeCache(memory: lots, disk: lots).storeCachedResponse(response, for: request)
            let names = try fileNames()
            #expect(!names.isEmpty)
            let none = makeCache(memory: 0, disk: 0)
            none.storeCachedResponse(response, for: request)
            none.removeCachedResponse(for: request)
            none.removeCachedResponses(since: .distantPast)
            none.removeAllCachedResponses()
            #expect(none.currentDiskUsage == 0)
            #expect(try fileNames() == names)
        }
    }

    @Test func answersAreEqualInAllThatWasPutIn() throws {
        let url = try #require(URL(string: urls[0]))
        let other = try #require(URL(string: urls[1]))
        func make(
            _ url: URL, _ body: String = "body", _ userInfo: [AnyHashable: Any]? = nil,
            _ policy: URLCache.StoragePolicy = .allowed, length: Int = 4
        ) -> CachedURLResponse {
            CachedURLResponse(
                response: URLResponse(
                    url: url, mimeType: nil, expectedContentLength: length, textEncodingName: nil),
                data: Data(body.utf8), userInfo: userInfo, storagePolicy: policy)
        }
        let info: [AnyHashable: Any] = ["a": 1, "b": ["c", ["d": 2.5]] as [Any]]
        let cached = make(url, "body", info)
        #expect(cached == make(url, "body", info))
        #expect(cached.isEqual(make(url, "body", info)))
        #expect(cached.hashValue == make(url, "body", info).hashValue)
        #expect(make(url) == make(url, "body", [:]))
        #expect(cached != make(url))
        #expect(cached != make(url, "body", ["a": 1]))
        #expect(cached != make(url, "body", ["a": 1, "b": ["c", ["d": 2]] as [Any]]))
        #expect(make(url) != make(other))
        #expect(make(url) != make(url, "Body"))
        #expect(make(url) != make(url, length: 5))
        #expect(make(url) != make(url, "body", nil, .notAllowed))
        #expect(!cached.isEqual("body"))
        #expect(!cached.isEqual(nil))
    }
}
