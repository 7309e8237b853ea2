package import ClubStore
package import FoundationEssentials

/// How a person's consent reaches this program: a browser brings it to this computer, or the person
/// copies a code.
package enum DropboxAuthorization {
    /// The port that Dropbox is told to lead the browser to. Dropbox leads only to addresses that the
    /// app's owner has registered, port and all, so it is always the same.
    package static let registeredPort: UInt16 = 53_117

    /// Waits for the browser.
    package struct ByBrowser: Sendable {
        package let signIn: DropboxOAuth
        private let answer: LoopbackAnswer

        /// What the browser is asked to open. It leads to the page, once: the page's own address has
        /// secrets of this sign-in, and every user of this computer can read a program's arguments.
        package var entrance: URL { answer.entrance }

        /// Begins to listen.
        ///
        /// - Parameter port: Nil for the registered one; behind a gateway, which may know no such rule,
        ///   for any other when that one is taken.
        package init(_ app: DropboxApp, port: UInt16? = nil) throws(SignInError) {
            do throws(LoopbackError) {
                answer = try LoopbackAnswer(port: port ?? registeredPort)
            } catch {
                guard port == nil, app.gateway != nil, let other = try? LoopbackAnswer() else {
                    throw .noAnswer(error)
                }
                answer = other
            }
            signIn = DropboxOAuth(app: app, redirect: answer.redirect)
        }

        /// - Returns: The code, when the browser has brought it.
        @concurrent package func code() async throws(SignInError) -> String {
            let query: String
            do throws(LoopbackError) {
                query = try await answer.wait(leadingTo: signIn.authorizationURL)
            } catch {
                throw .noAnswer(error)
            }
            do throws(OAuthError) {
                return try signIn.code(fromRedirect: query)
            } catch {
                throw .signIn(error)
            }
        }
    }
}
