import DropboxAPI
import FoundationEssentials
import Testing

@Suite struct WireTests {
    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encode(value), as: UTF8.self)
    }

    private func decode<Value: Decodable>(_ text: String, as _: Value.Type = Value.self) throws
        -> Value
    {
        try WireJSON.decode(from: Data(text.utf8))
    }

    // MARK: - Headers

    @Test func headersHoldPlainCharactersOnly() throws {
        let argument = DownloadArg(path: "/ü \u{7F} ☃ 😀.txt")
        #expect(
            try WireJSON.encodeForHeader(argument)
                == #"{"path":"/\u00fc \u007f \u2603 \ud83d\ude00.txt"}"#)
        let back: DownloadArg = try WireJSON.decodeArgument(
            from: Data(try WireJSON.encodeForHeader(argument).utf8))
        #expect(back == argument)
    }

    // MARK: - Arguments

    @Test func argumentsLookAsDropboxHasThem() throws {
        #expect(try json(NoValue()) == "null")
        #expect(try json(ListFolderArg(path: "")) == #"{"path":""}"#)
        #expect(
            try json(ListFolderArg(path: "/a", recursive: true, limit: 5))
                == #"{"limit":5,"path":"/a","recursive":true}"#)
        #expect(
            try json(
                UploadArg(
                    commit: CommitInfo(path: "/a.txt", mode: .update("0123456789")),
                    contentHash: ContentHash(of: Data())))
                == #"{"autorename":false,"content_hash":"\#(ContentHash(of: Data()))","#
                + #""mode":{".tag":"update","update":"0123456789"},"path":"/a.txt"}"#)
        #expect(
            try json(ThumbnailV2Arg(path: "/a.jpg", size: .w128h128))
                == #"{"format":{".tag":"jpeg"},"mode":{".tag":"strict"},"#
                + #""resource":{".tag":"path","path":"/a.jpg"},"size":{".tag":"w128h128"}}"#)
        #expect(
            try json(
                UploadSessionFinishArg(
                    cursor: UploadSessionCursor(sessionID: "s", offset: 7),
                    commit: CommitInfo(path: "/a")))
                == #"{"commit":{"autorename":false,"mode":{".tag":"add"},"path":"/a"},"#
                + #""cursor":{"offset":7,"session_id":"s"}}"#)
    }

    @Test func membersWithoutAValueMayBeBareTags() throws {
        let bare: CommitInfo = try WireJSON.decodeArgument(
            from: Data(#"{"path":"/a","mode":"overwrite"}"#.utf8))
        let full: CommitInfo = try WireJSON.decodeArgument(
            from: Data(#"{"path":"/a","mode":{".tag":"overwrite"}}"#.utf8))
        #expect(bare.mode == .overwrite)
        #expect(bare == full)
    }

    /// What the examples of the specification look like.
    @Test func theSpecificationsExamplesAreAccepted() throws {
        func accept<A: Decodable>(_: A.Type, _ text: String) throws {
            let _: A = try WireJSON.decodeArgument(from: Data(text.utf8))
        }
        try accept(
            ListFolderArg.self,
            #"{"path":"/Homework/math","recursive":false,"include_media_info":false,"#
                + #""include_deleted":false,"include_has_explicit_shared_members":false,"#
                + #""include_mounted_folders":true,"include_non_downloadable_files":true,"#
                + #""limit":null,"shared_link":null,"include_property_groups":null}"#)
        try accept(GetMetadataArg.self, #"{"path":"id:a4ayc_80_OEAAAAAAAAAYa"}"#)
        try accept(GetMetadataArg.self, #"{"path":"rev:a1c10ce0dd78"}"#)
        try accept(
            UploadArg.self,
            #"{"path":"/Homework/math/Matrices.txt","mode":{".tag":"update","update":"a1c10ce0dd78"},"#
                + #""autorename":false,"mute":false,"strict_conflict":false,"content_hash":null,"#
                + #""client_modified":"2015-05-12T15:50:38Z","property_groups":null}"#)
        try accept(
            SearchV2Arg.self,
            #"{"query":"cat","options":{"path":"/Folder","max_results":20,"file_status":"active","#
                + #""filename_only":false},"match_field_options":{"include_highlights":false}}"#)
        try accept(
            RelocationArg.self,
            #"{"from_path":"/Homework/math","to_path":"/Homework/algebra","#
                + #""allow_shared_folder":false,"autorename":false,"allow_ownership_transfer":false}"#
        )
        try accept(
            GetThumbnailBatchArg.self,
            #"{"entries":[{"path":"/image.jpg","format":"jpeg","size":"w64h64","mode":"strict"}]}"#)
        try accept(ListRevisionsArg.self, #"{"path":"/root/word.docx","mode":"path","limit":10}"#)
    }

    @Test(arguments: [
        (#"{"path":"/a","mode":"upsert"}"#, "mode: unknown tag 'upsert'"),
        (#"{"path":"/a","mode":{"tag":"add"}}"#, "mode: missing '.tag' key"),
        (#"{"path":"/a","mode":"update"}"#, "mode: expected object for 'update', got symbol"),
        (
            #"{"path":"/a","mode":{".tag":"update","update":"12"}}"#,
            "mode: '12' must be at least 9 characters, got 2"
        ),
        (
            #"{"path":"/a","mode":{".tag":"update","update":"123456789G"}}"#,
            "mode: '123456789G' did not match pattern '[0-9a-f]+'"
        ),
        (#"{"path":"a"}"#, "path: 'a' did not match pattern"),
        (#"{"path":"/a","autorename":"yes"}"#, "autorename: expected boolean"),
        (#"{"path":"/a","autorename":null}"#, "autorename: expected boolean"),
        (#"{"path":"/a","overwrite":true}"#, "unknown field 'overwrite'"),
        (#"{"mode":"add"}"#, "missing required field 'path'"),
        (
            #"{"path":"/a","client_modified":"2015-05-12T15:50:38"}"#,
            "client_modified: time data '2015-05-12T15:50:38' does not match format"
        ),
        (#"{"path":"/a","property_groups":[]}"#, "property_groups: not supported here"),
        ("[]", "expected object"), ("{", "could not decode input as JSON"),
        ("", "could not decode"),
    ])
    func strictDecodingNamesTheField(text: String, words: String) {
        do {
            let value: UploadArg = try WireJSON.decodeArgument(from: Data(text.utf8))
            Issue.record("accepted as \(value)")
        } catch {
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test func nestedFieldsAreNamedByTheirPath() {
        do {
            let _: UploadSessionFinishArg = try WireJSON.decodeArgument(
                from: Data(
                    #"{"cursor":{"session_id":"s","offset":-1},"commit":{"path":"/a"}}"#.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.field == "cursor.offset")
        }
        do {
            let _: UploadSessionFinishArg = try WireJSON.decodeArgument(
                from: Data(
                    #"{"cursor":{"session_id":"s","offset":1,"x":2},"commit":{"path":"/a"}}"#.utf8))
            Issue.record("accepted")
        } catch {
            #expect(error.description == "cursor: unknown field 'x'")
        }
    }

    // MARK: - Results

    @Test func resultsMayGainFieldsAndTags() throws {
        let page: ListFolderResult = try decode(
            #"""
            {"entries":[
              {".tag":"file","name":"a.txt","id":"id:1","client_modified":"2015-05-12T15:50:38Z",
               "server_modified":"2015-05-12T15:50:38Z","rev":"a1c10ce0dd78","size":7212,
               "path_lower":"/a.txt","path_display":"/a.txt","new_field":{"x":[1,2]},
               "sharing_info":{"read_only":true},"is_downloadable":false},
              {".tag":"folder","name":"f","id":"id:2","path_lower":"/f","path_display":"/F"},
              {".tag":"deleted","name":"g","path_lower":"/g","path_display":"/g"},
              {".tag":"hologram","name":"h"}
            ],"cursor":"c","has_more":false,"also_new":1}
            """#)
        #expect(page.entries.count == 4)
        guard case .file(let file) = page.entries[0] else {
            Issue.record("\(page)")
            return
        }
        #expect(file.revision == "a1c10ce0dd78")
        #expect(!file.isDownloadable)
        #expect(file.contentHash == nil)
        #expect(page.entries[3] == .other("hologram"))
    }

    @Test func metadataKeepsItsTagBesideItsFields() throws {
        let folder = Metadata.folder(
            FolderMetadata(name: "f", pathLower: "/f", pathDisplay: "/F", id: "id:2"))
        #expect(
            try json(folder)
                == #"{".tag":"folder","id":"id:2","name":"f","path_display":"/F","path_lower":"/f"}"#
        )
        #expect(try decode(try json(folder)) == folder)
    }

    @Test func theAccountOfTheSpecificationIsUnderstood() throws {
        let account: FullAccount = try decode(
            #"""
            {"account_id":"dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc","name":{"given_name":"Franz",
            "surname":"Ferdinand","familiar_name":"Franz","display_name":"Franz Ferdinand (Personal)",
            "abbreviated_name":"FF"},"email":"franz@dropbox.com","email_verified":true,
            "disabled":false,"locale":"en","referral_link":"https://db.tt/ZITNuhtI","is_paired":true,
            "account_type":{".tag":"business"},"root_info":{".tag":"user",
            "root_namespace_id":"3235641","home_namespace_id":"3235641"},"country":"US",
            "team":{"id":"x"}}
            """#)
        #expect(account.name.displayName == "Franz Ferdinand (Personal)")
        #expect(account.accountType == .business)
        let space: SpaceUsage = try decode(
            #"{"used":314159265,"allocation":{".tag":"individual","allocated":10000000000}}"#)
        #expect(space.allocation == .individual(allocated: 10_000_000_000))
    }

    @Test func aThumbnailBatchCarriesItsBytesAsBase64() throws {
        let result: GetThumbnailBatchResult = try decode(
            #"""
            {"entries":[{".tag":"failure","failure":{".tag":"path","path":{".tag":"not_found"}}},
            {".tag":"success","thumbnail":"AQID","metadata":{"name":"a","id":"id:1",
            "client_modified":"2015-05-12T15:50:38Z","server_modified":"2015-05-12T15:50:38Z",
            "rev":"a1c10ce0dd78","size":1}}]}
            """#)
        #expect(result.entries[0] == .failure(.path(.notFound)))
        guard case .success(let file, let data) = result.entries[1] else {
            Issue.record("\(result)")
            return
        }
        #expect(file.name == "a")
        #expect(data == Data([1, 2, 3]))
        #expect(try decode(try json(result)) == result)
    }

    // MARK: - Errors

    @Test func errorsOfDropboxAreUnderstood() throws {
        let upload: ErrorAnswer<UploadError> = try decode(
            #"""
            {"error_summary":"path/conflict/file/...","error":{".tag":"path","reason":{".tag":
            "conflict","conflict":{".tag":"file"}},"upload_session_id":"pid_upload_session:x"},
            "user_message":{"text":"In the way.","locale":"en"}}
            """#)
        #expect(upload.error == .path(.conflict(.file), sessionID: "pid_upload_session:x"))
        #expect(upload.userMessage?.text == "In the way.")
        let finish: ErrorAnswer<UploadSessionFinishError> = try decode(
            #"""
            {"error_summary":"lookup_failed/incorrect_offset/.","error":{".tag":"lookup_failed",
            "lookup_failed":{".tag":"incorrect_offset","correct_offset":17}}}
            """#)
        #expect(finish.error == .lookupFailed(.incorrectOffset(correctOffset: 17)))
        let limited: ErrorAnswer<RateLimitError> = try decode(
            #"{"error_summary":"x","error":{"reason":{".tag":"too_many_requests"},"retry_after":300}}"#
        )
        #expect(limited.error == RateLimitError(reason: .tooManyRequests, retryAfter: 300))
        let scope: ErrorAnswer<AuthError> = try decode(
            #"""
            {"error_summary":"missing_scope/.","error":{".tag":"missing_scope",
            "required_scope":"files.metadata.read"}}
            """#)
        #expect(scope.error == .missingScope(required: "files.metadata.read"))
        let malformed: LookupError = try decode(
            #"{".tag":"malformed_path","malformed_path":"why"}"#)
        #expect(malformed == .malformedPath("why"))
        #expect(try decode(#"{".tag":"malformed_path"}"#) == LookupError.malformedPath(nil))
        #expect(try decode(#""not_found""#) == LookupError.notFound)
        #expect(try decode(#"{".tag":"brand_new"}"#) == LookupError.other("brand_new"))
    }

    @Test func everyErrorSurvivesTheWire() throws {
        func check<E: RouteError>(_ errors: E...) throws {
            for error in errors {
                #expect(try decode(try json(error)) == error, "\(error)")
                let answer = ErrorAnswer(error)
                #expect(answer.summary == error.tags.map { $0 + "/" }.joined())
                #expect(try decode(try json(answer)) == answer)
            }
        }
        let lookup: [LookupError] = [
            .malformedPath(nil), .malformedPath("x"), .notFound, .notFile, .notFolder,
            .restrictedContent, .unsupportedContentType, .locked, .other("new"),
        ]
        for error in lookup {
            try check(error)
            try check(ListFolderError.path(error))
            try check(DownloadError.path(error))
            try check(ThumbnailError.path(error))
            try check(DeleteError.pathLookup(error))
            try check(RelocationError.fromLookup(error))
        }
        let write: [WriteError] = [
            .malformedPath(nil), .malformedPath("x"), .conflict(.file), .conflict(.folder),
            .conflict(.fileAncestor), .conflict(.other("new")), .noWritePermission,
            .insufficientSpace, .disallowedName, .teamFolder, .operationSuppressed,
            .tooManyWriteOperations, .accessRestricted, .other("new"),
        ]
        for error in write {
            try check(error)
            try check(UploadError.path(error, sessionID: "s"))
            try check(UploadSessionFinishError.path(error))
            try check(CreateFolderError.path(error))
            try check(DeleteError.pathWrite(error))
            try check(RelocationError.to(error), .fromWrite(error))
            try check(RestoreError.pathWrite(error))
        }
        try check(ListFolderContinueError.reset, .path(.notFound), .other("new"))
        try check(
            UploadError.payloadTooLarge, .contentHashMismatch, .propertiesError,
            .encryptionNotSupported, .other("new"))
        try check(
            UploadSessionLookupError.notFound, .incorrectOffset(correctOffset: .max), .closed,
            .notClosed, .tooLarge, .concurrentSessionInvalidOffset,
            .concurrentSessionInvalidDataSize, .payloadTooLarge, .contentHashMismatch)
        try check(
            RelocationError.cannotMoveFolderIntoItself, .duplicatedOrNestedPaths, .tooManyFiles,
            .insufficientQuota, .internalError)
        try check(SearchError.invalidArgument(nil), .invalidArgument("x"), .internalError)
        try check(
            AuthError.invalidAccessToken, .expiredAccessToken, .userSuspended,
            .missingScope(required: "x"), .other("new"))
        try check(GetThumbnailBatchError.tooManyFiles, .other("new"))
    }
}

@Suite struct PathTests {
    @Test(arguments: [
        ("", true, false, false, false), ("/", true, true, true, true),
        ("/a\nb", true, true, true, true), ("a", false, false, false, false),
        ("id:x", true, true, false, true), ("rev:0123456789", false, false, false, true),
        ("rev:01", false, false, false, false), ("ns:12/a", true, true, true, true),
        ("ns:12", true, true, true, true), ("ns:x/a", false, false, false, false),
    ])
    func patterns(path: String, listed: Bool, known: Bool, written: Bool, read: Bool) {
        #expect(PathPattern.rootOrPathOrID.matches(path) == listed)
        #expect(PathPattern.pathOrID.matches(path) == known)
        #expect(PathPattern.path.matches(path) == written)
        #expect(PathPattern.read.matches(path) == read)
    }

    @Test func namesAreComparedWithoutCaseAndForm() {
        #expect(PathNames.key("E\u{301}X.TXT") == PathNames.key("\u{E9}x.txt"))
        #expect(Array(PathNames.normalized("e\u{301}").unicodeScalars) == ["\u{E9}"])
        #expect(PathNames.key("/Ünïté") == "/ünïté")
        #expect(PathNames.key("plain") == "plain")
    }

    @Test func pathsComeApart() {
        #expect(PathNames.components(of: "") == [])
        #expect(PathNames.components(of: "/a/b c") == ["a", "b c"])
        for path in ["/", "a", "/a/", "//a", "/a//b", "/.", "/..", "/a/../b", "/a\u{0}"] {
            #expect(PathNames.components(of: path) == nil, "\(path)")
        }
    }

    @Test func everyRouteHasItsOwnPath() {
        let paths = [
            Routes.getCurrentAccount.path, Routes.getSpaceUsage.path, Routes.checkUser.path,
            Routes.listFolder.path, Routes.listFolderContinue.path, Routes.getLatestCursor.path,
            Routes.longpoll.path, Routes.getMetadata.path, Routes.download.path, Routes.upload.path,
            Routes.uploadSessionStart.path, Routes.uploadSessionAppend.path,
            Routes.uploadSessionFinish.path, Routes.getThumbnail.path,
            Routes.getThumbnailBatch.path, Routes.search.path, Routes.searchContinue.path,
            Routes.createFolder.path, Routes.delete.path, Routes.move.path, Routes.copy.path,
        ]
        #expect(Set(paths).count == paths.count)
        #expect(Routes.uploadSessionAppend.path == "/2/files/upload_session/append_v2")
        #expect(Routes.searchContinue.path == "/2/files/search/continue_v2")
        #expect(Routes.longpoll.host == .notify)
        #expect(!Routes.longpoll.takesToken)
    }
}
