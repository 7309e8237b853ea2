/// An HTTP error response.
protocol HTTPRefusal: Error {
    var status: Int { get }
}

extension StoreError {
    /// The status of the error response, if there was one.
    var refusedStatus: Int? { (underlying as? any HTTPRefusal)?.status }
}
