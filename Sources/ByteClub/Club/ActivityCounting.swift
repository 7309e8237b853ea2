internal import ClubAccess

/// Counts what is in flight, for the activity indicator and for tests that wait until nothing is.
@MainActor protocol ActivityCounting: AnyObject {
    func begin()
    func end()
}
