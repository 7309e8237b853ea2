/// The account whose token made the call.
public struct FullAccount: Codable, Hashable, Sendable {
    /// 40 characters, `dbid:…`.
    public var accountID: String
    public var name: Name
    public var email: String
    public var emailVerified: Bool
    public var profilePhotoURL: String?
    public var disabled: Bool
    /// Two letters.
    public var country: String?
    public var locale: String
    public var referralLink: String
    public var isPaired: Bool
    public var accountType: AccountType
    public var rootInfo: RootInfo

    public struct Name: Codable, Hashable, Sendable {
        public var givenName: String
        public var surname: String
        public var familiarName: String
        public var displayName: String
        public var abbreviatedName: String

        enum CodingKeys: String, CodingKey {
            case givenName = "given_name"
            case surname
            case familiarName = "familiar_name"
            case displayName = "display_name"
            case abbreviatedName = "abbreviated_name"
        }

        public init(
            givenName: String, surname: String, familiarName: String, displayName: String,
            abbreviatedName: String
        ) {
            self.givenName = givenName
            self.surname = surname
            self.familiarName = familiarName
            self.displayName = displayName
            self.abbreviatedName = abbreviatedName
        }
    }

    enum CodingKeys: String, CodingKey {
        case accountID = "account_id"
        case name
        case email
        case emailVerified = "email_verified"
        case profilePhotoURL = "profile_photo_url"
        case disabled
        case country
        case locale
        case referralLink = "referral_link"
        case isPaired = "is_paired"
        case accountType = "account_type"
        case rootInfo = "root_info"
    }

    public init(
        accountID: String, name: Name, email: String, emailVerified: Bool = true,
        profilePhotoURL: String? = nil, disabled: Bool = false, country: String? = nil,
        locale: String = "en", referralLink: String = "", isPaired: Bool = false,
        accountType: AccountType = .basic, rootInfo: RootInfo
    ) {
        self.accountID = accountID
        self.name = name
        self.email = email
        self.emailVerified = emailVerified
        self.profilePhotoURL = profilePhotoURL
        self.disabled = disabled
        self.country = country
        self.locale = locale
        self.referralLink = referralLink
        self.isPaired = isPaired
        self.accountType = accountType
        self.rootInfo = rootInfo
    }
}

public enum AccountType: TaggedUnion, SimpleTags {
    case basic
    case pro
    case business
    case other(String)

    static let simple: [String: Self] = ["basic": .basic, "pro": .pro, "business": .business]

    public var tags: [String] {
        if case .other(let tag) = self { [tag] } else { [simpleTag] }
    }

    public init(from decoder: any Decoder) throws { self = .simple(try UnionReader(decoder).tag) }

    public func encode(to encoder: any Encoder) throws { try encoder.encodeUnion(tags[0]) }
}

/// The namespaces of an account; for a team member, whose home is inside the team's root, also the
/// root.
public struct RootInfo: Codable, Hashable, Sendable {
    /// `user` or `team`.
    public var kind: String
    public var rootNamespaceID: String
    public var homeNamespaceID: String
    public var homePath: String?

    enum CodingKeys: String, CodingKey {
        case kind = ".tag"
        case rootNamespaceID = "root_namespace_id"
        case homeNamespaceID = "home_namespace_id"
        case homePath = "home_path"
    }

    public init(
        kind: String = "user", rootNamespaceID: String, homeNamespaceID: String,
        homePath: String? = nil
    ) {
        self.kind = kind
        self.rootNamespaceID = rootNamespaceID
        self.homeNamespaceID = homeNamespaceID
        self.homePath = homePath
    }
}

/// How much of its space an account uses.
public struct SpaceUsage: Codable, Hashable, Sendable {
    public var used: UInt64
    public var allocation: SpaceAllocation

    public init(used: UInt64, allocation: SpaceAllocation) {
        self.used = used
        self.allocation = allocation
    }
}

public enum SpaceAllocation: TaggedUnion {
    case individual(allocated: UInt64)
    case team(used: UInt64, allocated: UInt64)
    case other(String)

    public var tags: [String] {
        switch self {
        case .individual: ["individual"]
        case .team: ["team"]
        case .other(let tag): [tag]
        }
    }

    private struct Individual: Codable {
        var allocated: UInt64
    }

    private struct Team: Codable {
        var used: UInt64
        var allocated: UInt64
    }

    public init(from decoder: any Decoder) throws {
        let union = try UnionReader(decoder)
        switch union.tag {
        case "individual":
            let individual: Individual = try union.fields()
            self = .individual(allocated: individual.allocated)
        case "team":
            let team: Team = try union.fields()
            self = .team(used: team.used, allocated: team.allocated)
        default: self = .other(union.tag)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .individual(let allocated):
            try encoder.encodeUnion("individual", fields: Individual(allocated: allocated))
        case .team(let used, let allocated):
            try encoder.encodeUnion("team", fields: Team(used: used, allocated: allocated))
        case .other(let tag): try encoder.encodeUnion(tag)
        }
    }
}

/// Text that `check/user` echoes.
public struct EchoArg: Codable, Hashable, Sendable {
    public var query: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case query
    }

    public init(query: String = "") { self.query = query }

    public init(from decoder: any Decoder) throws {
        let fields = try ArgumentFields(decoder, CodingKeys.self)
        query = try fields.value(.query, default: "")
        if query.count > 500 {
            throw fields.failure(
                .query, "'\(query)' must be at most 500 characters, got \(query.count)")
        }
    }
}

public struct EchoResult: Codable, Hashable, Sendable {
    public var result: String

    public init(result: String) { self.result = result }
}
