/// An answer by which a server refuses a request.
protocol HTTPRefusal: Error {
    var status: Int { get }
}

extension StoreError {
    /// The status by which a server refused, if that is what happened.
    var refusedStatus: Int? { (underlying as? any HTTPRefusal)?.status }
}
