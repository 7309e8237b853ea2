import DropboxAPI
import FoundationEssentials

/// Why a call is refused before, or instead of, its route's own answer.
enum Refusal: Error {
    /// 400: the call itself is wrong, and will always be.
    case badRequest(String)
    /// 401.
    case unauthorized(AuthError)
    /// 409, with an error of the route's union.
    case route(any RouteError)
    /// 429.
    case rateLimited(RateLimitError)
    /// 500: the disk failed.
    case fault(String)
}

/// Finds the route of a request, checks who calls, decodes the argument and words the answer.
struct Router: Sendable {
    private let token: String?
    private let hosts: HostRule
    private let log: ServerLog
    private var routes: [String: Entry] = [:]

    private struct Entry: Sendable {
        let style: RouteStyle
        let takesToken: Bool
        let answer: @Sendable (Data, Request) async throws -> Response
    }

    /// How large the JSON of an argument may be.
    static let argumentByteLimit = 1 << 20

    /// - Parameters:
    ///   - token: What `Authorization: Bearer` must carry; nil lets everybody in.
    ///   - hosts: Under which names the server may be called.
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

    /// Adds a route that makes its answer itself.
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

    /// Answers a request, whatever it is.
    ///
    /// - Throws: When the connection failed.
    func answer(_ request: Request) async throws -> Response {
        var response: Response
        do {
            response = try await dispatch(request)
        } catch let refusal as Refusal {
            response = word(refusal)
        } catch let failure as any RouteError {
            response = word(.route(failure))
        } catch let error as SystemError {
            log("\(request.head.path): \(error)")
            response = word(.fault("The club's disk failed (\(error))."))
        } catch RequestBody.Failure.tooLarge {
            response = .text(413, "The argument is too large.")
        }
        response.headers.append(("X-Dropbox-Request-Id", RandomText.hexadecimal(byteCount: 16)))
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        response.headers.append(("Cache-Control", "no-cache"))
        return response
    }

    private func dispatch(_ request: Request) async throws -> Response {
        let head = request.head
        guard hosts.allows(head) else {
            return .text(421, "This server is not called \(head.headers["host"] ?? "nothing").")
        }
        guard let route = routes[head.path] else {
            guard head.path.hasPrefix("/2/") else {
                return .text(404, "There is nothing at \(head.path).")
            }
            // As Dropbox has it: clients take the body of a 404 for JSON.
            let function = String(head.path.dropFirst(3))
            throw Refusal.badRequest("Unknown API function: \"\(function)\"")
        }
        let name = String(head.path.dropFirst(3))
        let isAllowed =
            head.method == "POST"
            || route.style == .download && ["GET", "HEAD"].contains(head.method)
        guard isAllowed else {
            var response = Response.text(405, "Method Not Allowed")
            response.headers.append(
                ("Allow", route.style == .download ? "GET, HEAD, POST" : "POST"))
            return response
        }
        try authorize(head, route, name)
        try checkContentType(head, route, name)
        let argument = try await argument(of: request, route, name)
        return try await route.answer(argument, request)
    }

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
            // A body without a type is what Dropbox refuses, too; no body needs none.
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
            let body = try await request.body.collect(limit: Self.argumentByteLimit)
            return body.isEmpty ? Data("null".utf8) : Data(body)
        }
        if route.style == .download, !(try await request.body.collect(limit: 4096)).isEmpty {
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
        }
    }

    private static func conflict(_ error: some RouteError) -> Response {
        .json(ErrorAnswer(error), status: 409)
    }

    private static func words(_ name: String, _ problem: String) -> String {
        "Error in call to API function \"\(name)\": \(problem)"
    }
}
