import DropboxAPI
import FoundationEssentials

/// Why a call is rejected without a result of its route.
enum Refusal: Error {
    /// 400: the call itself is invalid.
    case badRequest(String)
    /// 401.
    case unauthorized(AuthError)
    /// 409, with an error of the route's union.
    case route(any RouteError)
    /// 429.
    case rateLimited(RateLimitError)
    /// 500: the disk failed.
    case fault(String)
    /// 421: the host name is not a local one.
    case misdirected(host: String?)
    /// 404.
    case nothing(at: String)
    /// 405.
    case method(allowed: String)
    /// 413.
    case tooLarge
    /// 503: no capacity.
    case busy
}

/// Finds a request's route, authenticates it, decodes the argument and encodes the response.
///
/// Everything that the head decides is checked before a byte of the body is read.
struct Router: Sendable {
    private let token: String?
    /// The accepted host names.
    var hosts: HostRule
    private let log: ServerLog
    private var routes: [String: Entry] = [:]

    fileprivate struct Entry: Sendable {
        let style: RouteStyle
        let takesToken: Bool
        let answer: @Sendable (Data, Request) async throws -> Response
    }

    /// The maximum size of an argument's JSON.
    static let argumentByteLimit = 1 << 20

    /// - Parameters:
    ///   - token: The required bearer token; nil to accept any request.
    ///   - hosts: The accepted host names.
    init(token: String?, hosts: HostRule = .any, log: ServerLog) {
        self.token = token
        self.hosts = hosts
        self.log = log
    }

    /// Adds a route whose result is a JSON body.
    mutating func on<Argument, Answer, Failure>(
        _ route: Route<Argument, Answer, Failure>,
        _ handler: @escaping @Sendable (Argument, Request) async throws -> Answer
    ) {
        add(route) { argument, request in .json(try await handler(argument, request)) }
    }

    /// Adds a route that makes its own response.
    mutating func add<Argument, Answer, Failure>(
        _ route: Route<Argument, Answer, Failure>,
        _ handler: @escaping @Sendable (Argument, Request) async throws -> Response
    ) {
        let name = route.name
        let source = route.style == .rpc ? "request body" : "HTTP header \"Dropbox-API-Arg\""
        routes[route.path] = Entry(style: route.style, takesToken: route.takesToken) {
            data, request in
            let argument: Argument
            do throws(ArgumentError) {
                argument = try WireJSON.decodeArgument(from: data)
            } catch {
                throw Refusal.badRequest(Self.words(name, "\(source): \(error)"))
            }
            return try await handler(argument, request)
        }
    }

    /// A request with a valid head.
    struct Call: Sendable {
        fileprivate let route: Entry
        fileprivate let name: String
        /// Whether its head had the token.
        let isAuthorized: Bool
    }

    /// Checks a request's head: host, route, method, token, content type and length.
    func judge(
        _ head: RequestHead, _ framing: RequestHead.Framing
    ) throws(Refusal) -> Call {
        guard hosts.allows(head) else { throw .misdirected(host: head.headers["host"]) }
        guard let route = routes[head.path] else {
            guard head.path.hasPrefix("/2/") else { throw .nothing(at: head.path) }
            // As in Dropbox: clients parse the body of a 404 as JSON.
            let function = String(head.path.dropFirst(3))
            throw .badRequest("Unknown API function: \"\(function)\"")
        }
        let name = String(head.path.dropFirst(3))
        let isAllowed =
            head.method == "POST"
            || route.style == .download && ["GET", "HEAD"].contains(head.method)
        guard isAllowed else {
            throw .method(allowed: route.style == .download ? "GET, HEAD, POST" : "POST")
        }
        try authorize(head, route, name)
        try checkContentType(head, route, name)
        guard framing.announcedByteCount <= Self.bodyByteLimit(route) else { throw .tooLarge }
        return Call(route: route, name: name, isAuthorized: route.takesToken)
    }

    /// Processes a request with a checked head.
    ///
    /// - Throws: When the connection failed.
    func answer(_ call: Call, _ request: Request) async throws -> Response {
        do {
            let argument = try await argument(of: request, call.route, call.name)
            return complete(try await call.route.answer(argument, request))
        } catch let error as SystemError {
            log("\(request.head.path): \(error)")
            return try answer(to: error)
        } catch {
            return try answer(to: error)
        }
    }

    /// The response for a rejected request.
    ///
    /// - Throws: `error` when it is not a request's.
    func answer(to error: any Error) throws -> Response {
        switch error {
        case let refusal as Refusal: complete(word(refusal))
        case let failure as any RouteError: complete(word(.route(failure)))
        case let error as SystemError where error.isOutOfDescriptors || error.isStale:
            complete(word(.busy))
        case let error as SystemError:
            complete(word(.fault("The club's disk failed (\(error)).")))
        case RequestBody.Failure.tooLarge: complete(word(.tooLarge))
        default: throw error
        }
    }

    private func complete(_ response: consuming Response) -> Response {
        var response = response
        response.headers.append(("X-Dropbox-Request-Id", RandomText.hexadecimal(byteCount: 16)))
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        response.headers.append(("Cache-Control", "no-cache"))
        return response
    }

    /// The maximum size of a route's body.
    private static func bodyByteLimit(_ route: Entry) -> UInt64 {
        guard route.takesToken else { return UInt64(ConnectionLimits.anonymousBodyByteLimit) }
        return switch route.style {
        case .rpc: UInt64(argumentByteLimit)
        case .download: downloadBodyByteLimit
        // Its route reports a full disk itself, before the body is read.
        case .upload: .max
        }
    }

    /// A download has no body; a short one is read to report that.
    private static let downloadBodyByteLimit: UInt64 = 4096

    // MARK: - Who calls

    private func authorize(
        _ head: RequestHead, _ route: Entry, _ name: String
    ) throws(Refusal) {
        let header = head.headers["authorization"] ?? head.query["authorization"]
        guard route.takesToken else {
            if header != nil {
                throw .badRequest(
                    Self.words(
                        name,
                        "You provided a value for HTTP header \"Authorization\", "
                            + "but this function does not use it."))
            }
            return
        }
        guard let token else { return }
        guard let header else {
            throw .badRequest(
                Self.words(
                    name,
                    "Must provide HTTP header \"Authorization\" or URL parameter "
                        + "\"authorization\"."))
        }
        let words = header.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw .badRequest(
                Self.words(
                    name,
                    "Invalid authorization value in HTTP header \"Authorization\": "
                        + "expecting \"Bearer\" and a token."))
        }
        guard isEqualInConstantTime(String(words[1]), token) else {
            throw .unauthorized(.invalidAccessToken)
        }
    }

    // MARK: - What it says

    private func checkContentType(
        _ head: RequestHead, _ route: Entry, _ name: String
    ) throws(Refusal) {
        let allowed: [String]
        switch route.style {
        case .rpc:
            allowed = [
                "application/json", "application/json; charset=utf-8",
                "text/plain; charset=dropbox-cors-hack",
            ]
        case .upload:
            allowed = ["application/octet-stream", "text/plain; charset=dropbox-cors-hack"]
        case .download:
            allowed = [
                "text/plain", "text/plain; charset=utf-8", "application/octet-stream",
                "application/octet-stream; charset=utf-8",
            ]
        }
        guard let type = head.headers["content-type"], !type.isEmpty else {
            // Like Dropbox, rejects a body without a type; no body needs none.
            if route.style == .upload {
                throw .badRequest(
                    Self.words(
                        name,
                        "Missing HTTP \"Content-Type\" header. Expecting one of "
                            + allowed.map { "\"\($0)\"" }.joined(separator: ", ") + "."))
            }
            return
        }
        let normal = type.lowercased().split(separator: ";")
            .map { $0.filter { $0 != " " } }.joined(separator: "; ")
        guard allowed.contains(normal) else {
            throw .badRequest(
                Self.words(
                    name,
                    "Bad HTTP \"Content-Type\" header: \"\(type)\".  "
                        + "Expecting one of "
                        + allowed.map { "\"\($0)\"" }.joined(separator: ", ") + "."))
        }
    }

    private func argument(
        of request: Request, _ route: Entry, _ name: String
    ) async throws -> Data {
        if route.style == .rpc {
            let body = try await request.body.collect(limit: Int(Self.bodyByteLimit(route)))
            return body.isEmpty ? Data("null".utf8) : Data(body)
        }
        if route.style == .download,
            !(try await request.body.collect(limit: Int(Self.downloadBodyByteLimit))).isEmpty
        {
            throw Refusal.badRequest(
                Self.words(name, "request body: expecting an empty body"))
        }
        guard let text = request.head.headers["dropbox-api-arg"] ?? request.head.query["arg"] else {
            throw Refusal.badRequest(
                Self.words(
                    name,
                    "Must provide HTTP header \"Dropbox-API-Arg\" or URL parameter \"arg\"."))
        }
        return Data(text.utf8)
    }

    // MARK: - Wording

    private func word(_ refusal: Refusal) -> Response {
        switch refusal {
        case .badRequest(let text):
            return .text(400, text)
        case .unauthorized(let error):
            var response = Response.json(ErrorAnswer(error), status: 401)
            response.headers.append(("WWW-Authenticate", "Bearer"))
            return response
        case .route(let error):
            return Self.conflict(error)
        case .rateLimited(let error):
            var response = Response.json(ErrorAnswer(error), status: 429)
            response.headers.append(("Retry-After", String(error.retryAfter)))
            return response
        case .fault(let text):
            return .text(500, text)
        case .misdirected(let host):
            return .text(421, "This server is not called \(host ?? "nothing").")
        case .nothing(let path):
            return .text(404, "There is nothing at \(path).")
        case .method(let allowed):
            var response = Response.text(405, "Method Not Allowed")
            response.headers.append(("Allow", allowed))
            return response
        case .tooLarge:
            return .text(413, "The argument is too large.")
        case .busy:
            return .busy()
        }
    }

    private static func conflict(_ error: some RouteError) -> Response {
        .json(ErrorAnswer(error), status: 409)
    }

    private static func words(_ name: String, _ problem: String) -> String {
        "Error in call to API function \"\(name)\": \(problem)"
    }
}
