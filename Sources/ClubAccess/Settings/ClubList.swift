/// All clubs as they stood in the files when somebody last looked. The screen has this, and reads no file.
package struct ClubList: Hashable, Sendable {
    /// The embedded one first.
    package var clubs: [ClubSettings]
    /// The names of those whose sign-in is kept.
    var signedIn: Set<String>
    /// Why none could be added or changed; nil when that can be.
    package var refusalToChange: SettingsError?

    /// Whether it can be opened without more ado.
    package func isSignedIn(to club: ClubSettings) -> Bool {
        !club.needsSignIn || signedIn.contains(club.name)
    }
}
