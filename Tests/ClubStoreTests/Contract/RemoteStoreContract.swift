import ClubStore
import Foundation
import Testing

/// The full contract of `RemoteStore`, run for each adapter.
enum RemoteStoreContract {
    static let checks = withoutRevisions + revisions

    /// What a server has to be asked that keeps no revisions.
    static let withoutRevisions = reading + writing + following + moving

    private static let reading = [
        ContractCheck("an empty club has an empty listing") { store in
            let listing = try await store.list(.root)
            #expect(listing.entries.isEmpty)
            #expect(try await store.list(.root, recursive: true).entries.isEmpty)
        },
        ContractCheck("an account has a name and counts what is used") { store in
            let before = try await store.account()
            _ = try await store.put(data("1234567890"), at: path("/ten"), mode: .add)
            let after = try await store.account()
            #expect(!before.displayName.isEmpty)
            #expect(after.usedBytes >= before.usedBytes + 10)
        },
        ContractCheck("what was put is what is fetched, with the same facts") { store in
            let text = data("Grüße, 世界 👩‍👩‍👧\n")
            let put = try await store.put(text, at: path("/note.txt"), mode: .add)
            let fetched = try await store.fetch(path("/note.txt"))
            #expect(fetched.data == text)
            #expect(fetched.file == put)
            #expect(try await store.metadata(of: path("/note.txt")).isSameState(as: put))
            #expect(put.byteCount == Int64(text.count))
            #expect(put.path.string == "/note.txt")
        },
        ContractCheck("an empty file is a file") { store in
            let put = try await store.put(Data(), at: path("/empty"), mode: .add)
            #expect(put.byteCount == 0)
            #expect(try await store.fetch(path("/empty")).data.isEmpty)
        },
        ContractCheck(
            "any name that may be is kept as it is",
            check: { store in
                let names = [
                    "a b.txt", "100% #1 & more?.txt", "naïve [a]+b.txt", "日本語.txt", "🏔️ peak.txt",
                    "'quotes\".txt", "dots...txt", "-dash", "semi;colon,comma=equals.txt",
                ]
                for name in names {
                    let place = try RemotePath.root.appending(newName: name)
                    let file = try await store.put(data(name), at: place, mode: .add)
                    #expect(file.name == name)
                    #expect(try await store.fetch(place).data == data(name))
                }
                #expect(Set(try await store.list(.root).files.map(\.name)) == Set(names))
            }),
        ContractCheck("what must be new takes no name that is taken, not even for the same bytes") {
            store in
            _ = try await store.put(data("one"), at: path("/a.txt"), mode: .create)
            for text in ["one", "two"] {
                await expectFailure(.conflict(serverRevision: nil)) {
                    _ = try await store.put(data(text), at: path("/a.txt"), mode: .create)
                }
            }
            let folder = try TemporaryFolder()
            let file = try folder.write(data("one"), to: "one")
            await expectFailure(.conflict(serverRevision: nil)) {
                _ = try await Recorder.upload(file, to: path("/a.txt"), mode: .create, in: store)
            }
            #expect(try await store.fetch(path("/a.txt")).data == data("one"))
        },
        ContractCheck("what is not there is not found") { store in
            let gone = try path("/gone.txt")
            await expectFailure(.notFound) { _ = try await store.metadata(of: gone) }
            await expectFailure(.notFound) { _ = try await store.fetch(gone) }
            await expectFailure(.notFound) { _ = try await store.list(gone) }
            await expectFailure(.notFound) { try await store.delete(gone) }
            await expectFailure(.notFound) { _ = try await store.move(gone, to: path("/b")) }
        },
        ContractCheck("only the revision meant is deleted") { store in
            let place = try path("/a.txt")
            let first = try await store.put(data("one"), at: place, mode: .add)
            _ = try await store.put(data("two"), at: place, mode: .overwrite)
            await expectFailure(.conflict(serverRevision: nil)) {
                try await store.delete(place, ifRevision: first.revision)
            }
            let second = try await store.fetch(place)
            #expect(second.data == data("two"))
            try await store.delete(place, ifRevision: second.file.revision)
            await expectFailure(.notFound) { _ = try await store.metadata(of: place) }
        },
        ContractCheck("files and folders are not taken for each other") { store in
            _ = try await store.put(data("x"), at: path("/file"), mode: .add)
            try await store.createFolder(path("/folder"))
            await expectFailure(.wrongKind) { _ = try await store.list(path("/file")) }
            await expectFailure(.wrongKind) { _ = try await store.fetch(path("/folder")) }
            await expectFailure(.wrongKind) { _ = try await store.metadata(of: path("/folder")) }
            await expectFailure(.wrongKind) { _ = try await store.metadata(of: .root) }
            await expectFailure(.wrongKind) { _ = try await store.fetch(.root) }
        },
        ContractCheck("a listing has the folder's entries, and all the way down when asked") {
            store in
            _ = try await store.put(data("1"), at: path("/a.txt"), mode: .add)
            _ = try await store.put(data("2"), at: path("/photos/b.jpg"), mode: .add)
            _ = try await store.put(data("3"), at: path("/photos/old/c.jpg"), mode: .add)
            #expect(
                Set(try await store.list(.root).entries.map(\.path.string)) == [
                    "/a.txt", "/photos",
                ])
            #expect(
                Set(try await store.list(path("/photos")).entries.map(\.path.string))
                    == ["/photos/b.jpg", "/photos/old"])
            #expect(
                Set(try await store.list(.root, recursive: true).entries.map(\.path.string)) == [
                    "/a.txt", "/photos", "/photos/b.jpg", "/photos/old", "/photos/old/c.jpg",
                ])
            #expect(
                Set(try await store.list(path("/photos"), recursive: true).files.map(\.path.string))
                    == ["/photos/b.jpg", "/photos/old/c.jpg"])
        },
        ContractCheck("a search finds names in a folder and below") { store in
            _ = try await store.put(data("1"), at: path("/Harbour.txt"), mode: .add)
            _ = try await store.put(data("2"), at: path("/photos/harbour at night.jpg"), mode: .add)
            _ = try await store.put(data("3"), at: path("/other.txt"), mode: .add)
            #expect(
                Set(try await store.search("harbour", in: .root).map(\.path.string))
                    == ["/Harbour.txt", "/photos/harbour at night.jpg"])
            #expect(
                try await store.search("harbour", in: path("/photos")).map(\.path.string)
                    == ["/photos/harbour at night.jpg"])
            #expect(try await store.search("nothing", in: .root).isEmpty)
        },
        ContractCheck("a thumbnail that cannot be made does not keep the others back") { store in
            _ = try await store.put(data("no picture"), at: path("/a.txt"), mode: .add)
            _ = try await store.put(data("nor this"), at: path("/b.jpg"), mode: .add)
            let paths = [try path("/a.txt"), try path("/gone.jpg"), try path("/b.jpg")]
            var codes: [RemotePath: StoreError.Code] = [:]
            var count = 0
            for await (path, result) in store.thumbnails(of: paths, size: .w128h128) {
                count += 1
                if case .failure(let error) = result { codes[path] = error.code }
            }
            #expect(count == 3)
            #expect(
                codes == [paths[0]: .noThumbnail, paths[1]: .notFound, paths[2]: .noThumbnail])
        },
    ]

    private static let writing = [
        ContractCheck("adding refuses a taken name, and tells the revision that is there") {
            store in
            let first = try await store.put(data("one"), at: path("/a"), mode: .add)
            let error = await failure {
                _ = try await store.put(data("two"), at: path("/a"), mode: .add)
            }
            #expect(error?.code == .conflict(serverRevision: first.revision))
            #expect(try await store.fetch(path("/a")).data == data("one"))
        },
        ContractCheck("the same bytes again are no conflict and no new revision") { store in
            let first = try await store.put(data("one"), at: path("/a"), mode: .add)
            let again = try await store.put(data("one"), at: path("/a"), mode: .add)
            #expect(again.revision == first.revision)
        },
        ContractCheck("overwriting makes a new revision") { store in
            let first = try await store.put(data("one"), at: path("/a"), mode: .add)
            let second = try await store.put(data("two"), at: path("/a"), mode: .overwrite)
            #expect(second.revision != first.revision)
            #expect(try await store.fetch(path("/a")).data == data("two"))
        },
        ContractCheck("an update replaces its revision and no other") { store in
            let first = try await store.put(data("one"), at: path("/a"), mode: .add)
            let second = try await store.put(
                data("two"), at: path("/a"), mode: .update(first.revision))
            let error = await failure {
                _ = try await store.put(
                    data("three"), at: path("/a"), mode: .update(first.revision))
            }
            #expect(error?.code == .conflict(serverRevision: second.revision))
            #expect(try await store.fetch(path("/a")).data == data("two"))
        },
        ContractCheck("an update of a file that is gone writes it") { store in
            let first = try await store.put(data("one"), at: path("/a"), mode: .add)
            try await store.delete(path("/a"))
            _ = try await store.put(data("two"), at: path("/a"), mode: .update(first.revision))
            #expect(try await store.fetch(path("/a")).data == data("two"))
        },
        ContractCheck("a put makes the folders it needs") { store in
            _ = try await store.put(data("x"), at: path("/a/b/c.txt"), mode: .add)
            #expect(try await store.list(path("/a")).entries.map(\.path.string) == ["/a/b"])
        },
        ContractCheck("a put never replaces a folder, nor goes into a file") { store in
            try await store.createFolder(path("/folder"))
            _ = try await store.put(data("x"), at: path("/file"), mode: .add)
            for mode in [RemoteWriteMode.add, .overwrite] {
                await expectFailure(.conflict(serverRevision: nil)) {
                    _ = try await store.put(data("y"), at: path("/folder"), mode: mode)
                }
                await expectFailure(.conflict(serverRevision: nil)) {
                    _ = try await store.put(data("y"), at: path("/file/below"), mode: mode)
                }
                await expectFailure(.conflict(serverRevision: nil)) {
                    _ = try await store.put(data("y"), at: .root, mode: mode)
                }
            }
        },
        ContractCheck("an upload does what a put does") { store in
            let folder = try TemporaryFolder()
            let file = try folder.write(data("from a file"), to: "source")
            let uploaded = try await Recorder.upload(file, to: path("/up.txt"), in: store)
            #expect(try await store.fetch(path("/up.txt")).file == uploaded)
            await expectFailure(.conflict(serverRevision: nil)) {
                _ = try await Recorder.upload(
                    try folder.write(data("other"), to: "other"), to: path("/up.txt"), in: store)
            }
        },
        ContractCheck("a file that cannot be read is not uploaded") { store in
            let folder = try TemporaryFolder()
            for name in ["missing", "."] {
                await expectFailure(.fileUnreadable) {
                    _ = try await Recorder.upload(
                        folder.url.appending(path: name), to: path("/up"), in: store)
                }
            }
            await expectFailure(.notFound) { _ = try await store.metadata(of: path("/up")) }
        },
        ContractCheck("a download is whole, and replaces what was there") { store in
            let folder = try TemporaryFolder()
            let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            let file = try await store.put(bytes, at: path("/big"), mode: .add)
            let target = try folder.write(data("old"), to: "target")
            let received = try await Recorder.download(path("/big"), to: target, in: store)
            #expect(received.isSameState(as: file))
            #expect(try Data(contentsOf: target) == bytes)
            #expect(try folder.names == ["target"])
        },
        ContractCheck("a download replaces nothing where it may not") { store in
            let folder = try TemporaryFolder()
            _ = try await store.put(data("new"), at: path("/there"), mode: .add)
            let target = try folder.write(data("mine"), to: "target")
            let error = await failure {
                _ = try await Recorder.download(
                    path("/there"), to: target, replaces: false, in: store)
            }
            #expect(error?.code == .fileUnwritable)
            #expect(error?.underlying as? DestinationProblem == .isThere)
            #expect(try Data(contentsOf: target) == data("mine"))
            #expect(try folder.names == ["target"])
            let other = folder.url.appending(path: "other")
            _ = try await Recorder.download(path("/there"), to: other, replaces: false, in: store)
            #expect(try Data(contentsOf: other) == data("new"))
        },
        ContractCheck("a failed download leaves what was there") { store in
            let folder = try TemporaryFolder()
            let target = try folder.write(data("old"), to: "target")
            await expectFailure(.notFound) {
                _ = try await Recorder.download(path("/gone"), to: target, in: store)
            }
            #expect(try Data(contentsOf: target) == data("old"))
            #expect(try folder.names == ["target"])
            _ = try await store.put(data("x"), at: path("/there"), mode: .add)
            await expectFailure(.fileUnwritable) {
                _ = try await Recorder.download(
                    path("/there"), to: folder.url.appending(path: "no/such/folder"), in: store)
            }
        },
        ContractCheck("a transfer cancelled before it began says so and does nothing") { store in
            let folder = try TemporaryFolder()
            let file = try folder.write(data("x"), to: "source")
            await expectFailure(.cancelled) {
                _ = try await Recorder.upload(file, to: path("/up"), in: store) { $0.cancel() }
            }
            await expectFailure(.notFound) { _ = try await store.metadata(of: path("/up")) }
        },
    ]
}
