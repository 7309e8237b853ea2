/// A cached list of all clubs. The screen uses it and reads no file.
package struct ClubList: Hashable, Sendable {
    /// The embedded one first.
    package var clubs: [ClubSettings]
    /// The names of the clubs with a stored sign-in.
    var signedIn: Set<String>
    /// Why no club can be added or changed; nil when that is possible.
    package var refusalToChange: SettingsError?

    /// Whether it can be opened without signing in.
    package func isSignedIn(to club: ClubSettings) -> Bool {
        !club.needsSignIn || signedIn.contains(club.name)
    }
}
