internal import ClubAccess

/// Counts pending work, for the activity indicator and for tests that wait for idleness.
@MainActor protocol ActivityCounting: AnyObject {
    func begin()
    func end()
}
