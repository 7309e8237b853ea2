/// The body of a response with status 401, 403, 409 or 429.
public struct ErrorAnswer<Failure: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    /// The tags, joined by slashes, with a varying end: for people and logs only.
    public var summary: String
    public var error: Failure
    /// A message for the user, if the server has one.
    public var userMessage: UserMessage?

    public struct UserMessage: Codable, Hashable, Sendable {
        public var text: String
        public var locale: String?

        public init(text: String, locale: String? = nil) {
            self.text = text
            self.locale = locale
        }
    }

    enum CodingKeys: String, CodingKey {
        case summary = "error_summary"
        case error
        case userMessage = "user_message"
    }

    public init(summary: String, error: Failure, userMessage: UserMessage? = nil) {
        self.summary = summary
        self.error = error
        self.userMessage = userMessage
    }

    /// Accepts a missing summary and a user message of another form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = try container.decodeIfPresent(String.self, forKey: .summary) ?? ""
        error = try container.decode(Failure.self, forKey: .error)
        userMessage = try? container.decodeIfPresent(UserMessage.self, forKey: .userMessage)
    }
}

extension ErrorAnswer where Failure: TaggedUnion {
    public init(_ error: Failure) {
        self.init(summary: error.summary, error: error)
    }
}

extension ErrorAnswer<RateLimitError> {
    public init(_ error: RateLimitError) {
        self.init(summary: error.reason.summary, error: error)
    }
}
