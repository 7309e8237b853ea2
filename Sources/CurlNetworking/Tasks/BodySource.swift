import FoundationEssentials

/// Where the bytes of a request's body come from.
enum BodySource: Sendable {
    case none
    case data(Data)
    case file(URL)
    /// Asked of the delegate at each start.
    case stream

    var isEmpty: Bool {
        if case .none = self { true } else { false }
    }
}
