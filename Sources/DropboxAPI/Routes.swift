/// One call of the API: its name, argument, result and error.
public struct Route<Argument, Answer, Failure>: Sendable
where
    Argument: Codable & Sendable, Answer: Codable & Sendable, Failure: RouteError
{
    /// Namespace and route with its version, as in the URL: `files/get_thumbnail_v2`.
    public let name: String
    public let host: RouteHost
    public let style: RouteStyle
    /// Whether the call carries the token. Some routes reject one.
    public let takesToken: Bool

    public init(
        _ name: String, host: RouteHost = .api, style: RouteStyle = .rpc, takesToken: Bool = true
    ) {
        self.name = name
        self.host = host
        self.style = style
        self.takesToken = takesToken
    }

    /// The path of the URL: `/2/` and the name.
    public var path: String { "/2/" + name }
}

/// The hosts that Dropbox divides its routes among.
public enum RouteHost: String, Sendable, CaseIterable {
    case api = "api.dropboxapi.com"
    case content = "content.dropboxapi.com"
    case notify = "notify.dropboxapi.com"
}

/// Where a call's argument and result are transferred.
public enum RouteStyle: Sendable {
    /// Both are JSON bodies.
    case rpc
    /// The argument is in `Dropbox-API-Arg`, the bytes in the body; the result is a JSON body.
    case upload
    /// The argument is in `Dropbox-API-Arg`, the body empty; the result is in `Dropbox-API-Result`.
    case download
}

/// The argument or result of a call that has none: `null`.
public struct NoValue: Codable, Hashable, Sendable {
    public init() {}

    /// Accepts `null` and an empty object.
    public init(from decoder: any Decoder) throws {
        if (try? decoder.singleValueContainer().decodeNil()) == true { return }
        if let object = try? decoder.container(keyedBy: NamedKey.self), object.allKeys.isEmpty {
            return
        }
        throw ArgumentError(
            field: ArgumentError.name(of: decoder.codingPath), problem: "expected null")
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

/// The error of a call that has no specific one.
public enum NoError: RouteError {
    case other(String)

    public var tags: [String] {
        switch self {
        case .other(let tag): [tag]
        }
    }

    public init(from decoder: any Decoder) throws { self = .other(try UnionReader(decoder).tag) }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}

/// Every route that Byte Club uses.
public enum Routes {
    public static let getCurrentAccount =
        Route<NoValue, FullAccount, NoError>("users/get_current_account")
    public static let getSpaceUsage = Route<NoValue, SpaceUsage, NoError>("users/get_space_usage")
    public static let checkUser = Route<EchoArg, EchoResult, NoError>("check/user")
    public static let revokeToken = Route<NoValue, NoValue, NoError>("auth/token/revoke")

    public static let listFolder =
        Route<ListFolderArg, ListFolderResult, ListFolderError>("files/list_folder")
    public static let listFolderContinue =
        Route<ListFolderContinueArg, ListFolderResult, ListFolderContinueError>(
            "files/list_folder/continue")
    public static let getLatestCursor =
        Route<ListFolderArg, ListFolderGetLatestCursorResult, ListFolderError>(
            "files/list_folder/get_latest_cursor")
    public static let longpoll =
        Route<ListFolderLongpollArg, ListFolderLongpollResult, ListFolderLongpollError>(
            "files/list_folder/longpoll", host: .notify, takesToken: false)
    public static let getMetadata =
        Route<GetMetadataArg, Metadata, GetMetadataError>("files/get_metadata")
    public static let listRevisions =
        Route<ListRevisionsArg, ListRevisionsResult, ListRevisionsError>("files/list_revisions")
    public static let restore = Route<RestoreArg, FileMetadata, RestoreError>("files/restore")

    public static let download =
        Route<DownloadArg, FileMetadata, DownloadError>(
            "files/download", host: .content, style: .download)
    public static let upload =
        Route<UploadArg, FileMetadata, UploadError>(
            "files/upload", host: .content, style: .upload)
    public static let uploadSessionStart =
        Route<UploadSessionStartArg, UploadSessionStartResult, UploadSessionStartError>(
            "files/upload_session/start", host: .content, style: .upload)
    public static let uploadSessionAppend =
        Route<UploadSessionAppendArg, NoValue, UploadSessionLookupError>(
            "files/upload_session/append_v2", host: .content, style: .upload)
    public static let uploadSessionFinish =
        Route<UploadSessionFinishArg, FileMetadata, UploadSessionFinishError>(
            "files/upload_session/finish", host: .content, style: .upload)

    /// Version 1, for older clients.
    public static let getThumbnailOfPath =
        Route<ThumbnailArg, FileMetadata, ThumbnailError>(
            "files/get_thumbnail", host: .content, style: .download)
    public static let getThumbnail =
        Route<ThumbnailV2Arg, PreviewResult, ThumbnailError>(
            "files/get_thumbnail_v2", host: .content, style: .download)
    public static let getThumbnailBatch =
        Route<GetThumbnailBatchArg, GetThumbnailBatchResult, GetThumbnailBatchError>(
            "files/get_thumbnail_batch", host: .content)

    public static let search = Route<SearchV2Arg, SearchV2Result, SearchError>("files/search_v2")
    public static let searchContinue =
        Route<SearchV2ContinueArg, SearchV2Result, SearchError>("files/search/continue_v2")

    public static let createFolder =
        Route<CreateFolderArg, CreateFolderResult, CreateFolderError>("files/create_folder_v2")
    public static let delete = Route<DeleteArg, DeleteResult, DeleteError>("files/delete_v2")
    public static let move = Route<RelocationArg, RelocationResult, RelocationError>(
        "files/move_v2")
    public static let copy = Route<RelocationArg, RelocationResult, RelocationError>(
        "files/copy_v2")
}
