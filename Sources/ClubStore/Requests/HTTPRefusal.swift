/// An HTTP error response.
protocol HTTPRefusal: Error {
    var status: Int { get }

    /// The beginning of the body, without secrets.
    var words: String { get }

    /// The same for a person.
    var sentence: String { get }
}

extension HTTPRefusal {
    var sentence: String { words }
}

extension StoreError {
    /// What the server has said about it; empty without an error response.
    package var refusedWords: String { (underlying as? any HTTPRefusal)?.sentence ?? "" }

    /// The status of the error response, if there was one.
    var refusedStatus: Int? { (underlying as? any HTTPRefusal)?.status }
}
